import Testing

@testable import GatewayHTTP

@Suite("Slots of long-running calls")
struct CallSlotsTests {
    @Test(
        "many brands leave a slot to a brand that has none",
        arguments: [
            (DeliveryTail.limit, DeliveryTail.brandLimit),
            (ConsumerRoutes.exportLimit, ConsumerRoutes.exportBrandLimit),
            (ProbeRoutes.selfCheckLimit, ProbeRoutes.selfCheckBrandLimit),
        ]
    )
    func shares(limit: Int, brandLimit: Int) throws {
        let slots = CallSlots(limit: limit, brandLimit: brandLimit)
        var held: [CallSlots.Slot] = []
        // As many brands as took all slots when each had all that it may.
        for number in 0..<limit / brandLimit {
            for _ in 0..<limit { if let slot = slots.take("b-\(number)") { held.append(slot) } }
        }
        #expect(held.count >= limit / 2 && held.count < limit)
        let mine = try #require(slots.take("newcomer"))
        #expect(slots.take("newcomer") == nil)
        held = []
        for _ in 1..<brandLimit { held.append(try #require(slots.take("newcomer"))) }
        #expect(slots.take("newcomer") == nil)
        withExtendedLifetime(mine) {}
    }
}
