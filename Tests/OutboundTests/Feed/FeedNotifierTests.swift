import GatewayModel
import Outbound
import Synchronization
import Testing

@Suite("Waiting readers of the outbound feed", .timeLimit(.minutes(10)))
struct FeedNotifierTests {
    private let acme = BrandID(trusted: "acme")
    private let other = BrandID(trusted: "other")

    private final class Refused: Sendable {
        let count = Atomic(0)
    }

    private func waiters(_ notifier: FeedNotifier, _ count: Int) async {
        while notifier.waiting != count { await Task.yield() }
    }

    @Test("are all woken by their brand's notification")
    func notify() async {
        let notifier = FeedNotifier()
        async let first = notifier.wait(acme, after: 0, atMost: nil)
        async let second = notifier.wait(acme, after: 0, atMost: .seconds(60))
        async let third = notifier.wait(other, after: 0, atMost: nil)
        await waiters(notifier, 3)
        notifier.notify(acme)
        let endings = await [first, second]
        #expect(endings == [.notified, .notified])
        #expect(notifier.waiting == 1 && notifier.lastNotification(acme) == 1 && notifier.lastNotification(other) == 0)
        notifier.close()
        let last = await third
        #expect(last == .over)
    }

    @Test("miss no notification between a query and the wait")
    func missed() async {
        let notifier = FeedNotifier()
        let seen = notifier.lastNotification(acme)
        notifier.notify(acme)
        #expect(await notifier.wait(acme, after: seen, atMost: nil) == .notified)
        #expect(await notifier.wait(acme, after: notifier.lastNotification(acme), atMost: .milliseconds(1)) == .over)
        #expect(notifier.waiting == 0)
    }

    @Test("receive items that are not stored only if they want them; the others keep waiting")
    func passing() async {
        let notifier = FeedNotifier()
        let item = PassingItem.typing(
            consumer: ConsumerID(trusted: "u\"1"),
            conversation: ConversationID(trusted: "c-1"),
            at: Timestamp(milliseconds: 5)
        )
        #expect(item.data.text == #"{"consumer":"u\"1","conversation":"c-1"}"#)
        notifier.pass(item, to: acme)
        async let first = notifier.wait(acme, after: 0, atMost: nil)
        async let second = notifier.wait(acme, after: 0, atMost: nil, wantsPassing: true)
        async let third = notifier.wait(other, after: 0, atMost: nil, wantsPassing: true)
        await waiters(notifier, 3)
        notifier.pass(item, to: acme)
        let reported = await second
        #expect(reported == .passed(item))
        #expect(notifier.waiting == 2 && notifier.lastNotification(acme) == 0)
        notifier.close()
        let endings = await [first, third]
        #expect(endings == [.over, .over])
    }

    @Test("leave when their task is cancelled, and wait no more when the gateway stops")
    func cancelled() async {
        let notifier = FeedNotifier()
        let task = Task { await notifier.wait(acme, after: 0, atMost: nil) }
        await waiters(notifier, 1)
        task.cancel()
        #expect(await task.value == .over && notifier.waiting == 0)
        notifier.close()
        #expect(await notifier.wait(acme, after: 0, atMost: nil) == .over)
    }

    @Test("are limited for each brand and in total")
    func bounded() async {
        let notifier = FeedNotifier(limit: 2, limitPerBrand: 1)
        async let first = notifier.wait(acme, after: 0, atMost: nil)
        await waiters(notifier, 1)
        #expect(await notifier.wait(acme, after: 0, atMost: nil) == .full)
        async let second = notifier.wait(other, after: 0, atMost: nil)
        await waiters(notifier, 2)
        #expect(await notifier.wait(BrandID(trusted: "third"), after: 0, atMost: nil) == .full)
        notifier.close()
        _ = await (first, second)
    }

    @Test("of many brands leave slots to brands that have none")
    func shares() async {
        let notifier = FeedNotifier()
        let refused = Refused()
        await withTaskGroup(of: Void.self) { group in
            // As many as there are slots, if each took its maximum.
            for number in 0..<FeedNotifier.waiters {
                group.addTask {
                    let brand = BrandID(trusted: "b-\(number % 8)")
                    if await notifier.wait(brand, after: 0, atMost: nil) == .full {
                        refused.count.add(1, ordering: .relaxed)
                    }
                }
            }
            while notifier.waiting + refused.count.load(ordering: .relaxed) < FeedNotifier.waiters {
                await Task.yield()
            }
            let others = notifier.waiting
            #expect(others >= FeedNotifier.waiters / 2 && others < FeedNotifier.waiters / 2 + 8)
            #expect(await notifier.wait(acme, after: 0, atMost: .milliseconds(1)) == .over)
            notifier.close()
        }
        #expect(notifier.waiting == 0)
    }
}
