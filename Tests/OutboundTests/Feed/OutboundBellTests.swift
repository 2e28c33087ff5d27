import GatewayModel
import Outbound
import Synchronization
import Testing

@Suite("Waiting readers of the outbound feed", .timeLimit(.minutes(10)))
struct OutboundBellTests {
    private let acme = BrandID(trusted: "acme")
    private let other = BrandID(trusted: "other")

    private final class Refused: Sendable {
        let count = Atomic(0)
    }

    private func waiters(_ bell: OutboundBell, _ count: Int) async {
        while bell.waiting != count { await Task.yield() }
    }

    @Test("are all woken by their brand's ring")
    func ring() async {
        let bell = OutboundBell()
        async let first = bell.wait(acme, after: 0, atMost: nil)
        async let second = bell.wait(acme, after: 0, atMost: .seconds(60))
        async let third = bell.wait(other, after: 0, atMost: nil)
        await waiters(bell, 3)
        bell.ring(acme)
        let endings = await [first, second]
        #expect(endings == [.rung, .rung])
        #expect(bell.waiting == 1 && bell.rings(acme) == 1 && bell.rings(other) == 0)
        bell.close()
        let last = await third
        #expect(last == .over)
    }

    @Test("miss no ring between a look and the wait")
    func missed() async {
        let bell = OutboundBell()
        let seen = bell.rings(acme)
        bell.ring(acme)
        #expect(await bell.wait(acme, after: seen, atMost: nil) == .rung)
        #expect(await bell.wait(acme, after: bell.rings(acme), atMost: .milliseconds(1)) == .over)
        #expect(bell.waiting == 0)
    }

    @Test("receive items that are not stored only if they want them; the others keep waiting")
    func passing() async {
        let bell = OutboundBell()
        let item = PassingItem.typing(
            consumer: ConsumerID(trusted: "u\"1"),
            conversation: ConversationID(trusted: "c-1"),
            at: Timestamp(milliseconds: 5)
        )
        #expect(item.data.text == #"{"consumer":"u\"1","conversation":"c-1"}"#)
        bell.pass(item, to: acme)
        async let first = bell.wait(acme, after: 0, atMost: nil)
        async let second = bell.wait(acme, after: 0, atMost: nil, wantsPassing: true)
        async let third = bell.wait(other, after: 0, atMost: nil, wantsPassing: true)
        await waiters(bell, 3)
        bell.pass(item, to: acme)
        let told = await second
        #expect(told == .passed(item))
        #expect(bell.waiting == 2 && bell.rings(acme) == 0)
        bell.close()
        let endings = await [first, third]
        #expect(endings == [.over, .over])
    }

    @Test("leave when their task is cancelled, and wait no more when the gateway stops")
    func cancelled() async {
        let bell = OutboundBell()
        let task = Task { await bell.wait(acme, after: 0, atMost: nil) }
        await waiters(bell, 1)
        task.cancel()
        #expect(await task.value == .over && bell.waiting == 0)
        bell.close()
        #expect(await bell.wait(acme, after: 0, atMost: nil) == .over)
    }

    @Test("are limited for each brand and in total")
    func bounded() async {
        let bell = OutboundBell(limit: 2, limitPerBrand: 1)
        async let first = bell.wait(acme, after: 0, atMost: nil)
        await waiters(bell, 1)
        #expect(await bell.wait(acme, after: 0, atMost: nil) == .full)
        async let second = bell.wait(other, after: 0, atMost: nil)
        await waiters(bell, 2)
        #expect(await bell.wait(BrandID(trusted: "third"), after: 0, atMost: nil) == .full)
        bell.close()
        _ = await (first, second)
    }

    @Test("of many brands leave slots to brands that have none")
    func shares() async {
        let bell = OutboundBell()
        let refused = Refused()
        await withTaskGroup(of: Void.self) { group in
            // As many as there are slots, if each took its maximum.
            for number in 0..<OutboundBell.waiters {
                group.addTask {
                    let brand = BrandID(trusted: "b-\(number % 8)")
                    if await bell.wait(brand, after: 0, atMost: nil) == .full {
                        refused.count.add(1, ordering: .relaxed)
                    }
                }
            }
            while bell.waiting + refused.count.load(ordering: .relaxed) < OutboundBell.waiters { await Task.yield() }
            let others = bell.waiting
            #expect(others >= OutboundBell.waiters / 2 && others < OutboundBell.waiters / 2 + 8)
            #expect(await bell.wait(acme, after: 0, atMost: .milliseconds(1)) == .over)
            bell.close()
        }
        #expect(bell.waiting == 0)
    }
}
