import GatewayModel
import Testing

@testable import IdentityProviders

@Suite("The slots of code exchanges")
struct ExchangeSlotsTests {
    @Test("are not all taken by one brand with many providers")
    func shares() {
        let slots = ExchangeSlots()
        let (greedy, other) = (BrandID(trusted: "greedy"), BrandID(trusted: "other"))
        var taken: [String] = []
        for number in 0..<1000 {
            let provider = "p-\(number / ExchangeSlots.perProvider)"
            if slots.take(provider, of: greedy) { taken.append(provider) }
        }
        #expect(taken.count == ExchangeSlots.total / 2)
        #expect(slots.take("theirs", of: other) && !slots.take("theirs", of: other))
        for provider in taken { slots.release(provider, of: greedy) }
        // A rejected attempt took no slot.
        for _ in 1..<ExchangeSlots.perProvider { #expect(slots.take("theirs", of: other)) }
        #expect(!slots.take("theirs", of: other) && slots.take("p-4", of: greedy))
    }
}
