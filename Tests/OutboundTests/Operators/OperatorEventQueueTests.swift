import Foundation
import GatewayModel
import Outbound
import Testing

@Suite("Operator events: from conditions to events")
struct OperatorEventQueueTests {
    private static let start = Timestamp(milliseconds: 1_767_323_045_000)
    private static let acme = BrandID(trusted: "acme")

    /// A condition of a lane; one that passes by itself must hold for a minute.
    private func lane(
        _ name: String = "ios:apns:production",
        _ type: OperatorEventType = .laneStopped,
        level: String? = nil,
        brand: BrandID = acme
    ) -> OperatorCondition {
        var condition = OperatorCondition(.init(type, brand: brand, name: name), level: level)
        condition.holdSeconds = type == .laneUnreachable ? 60 : 0
        return condition
    }

    private func after(_ seconds: Int64) -> Timestamp { Self.start.adding(seconds: seconds) }

    /// A queue whose first event, the start, is posted.
    private func started() -> OperatorEventQueue {
        var queue = OperatorEventQueue(startedAt: Self.start)
        _ = queue.nextBatch()
        queue.batchTaken()
        return queue
    }

    /// Returns the batch to post.
    private func next(_ queue: inout OperatorEventQueue) throws -> OperatorEventBatch {
        let batch = queue.nextBatch()
        return try #require(batch)
    }

    /// Takes the events that wait.
    private func take(_ queue: inout OperatorEventQueue) -> [OperatorEvent] {
        let events = queue.nextBatch()?.events ?? []
        queue.batchTaken()
        return events
    }

    @Test("the first event is the start, with a body and an id that stay the same until it is accepted")
    func begins() throws {
        var queue = OperatorEventQueue(startedAt: Self.start)
        let batch = try next(&queue)
        #expect(batch.events.map(\.condition.subject.type) == [.started])
        queue.update([lane()], now: after(1))
        #expect(queue.nextBatch() == batch && batch.id.hasPrefix("op_"))
        queue.batchTaken()
        let next = try next(&queue)
        #expect(next.events.map(\.condition) == [lane()] && next.id != batch.id)
        queue.batchTaken()
        #expect(queue.nextBatch() == nil)
    }

    @Test("a condition that holds is one event, whatever the number of times that it is seen")
    func once() {
        var queue = started()
        for second in 1...100 { queue.update([lane()], now: after(Int64(second))) }
        let events = take(&queue)
        #expect(events.map(\.state) == [.begun] && events.map(\.since) == [after(1)])
        #expect(queue.nextBatch() == nil && queue.counts.coalesced == 0)
    }

    @Test("it has ended when it has been over for a minute; before that it has not changed")
    func ends() {
        var queue = started()
        queue.update([lane()], now: after(1))
        _ = take(&queue)
        for second: Int64 in [5, 30, 64] { queue.update([], now: after(second)) }
        queue.update([lane()], now: after(65))
        queue.update([], now: after(70))
        queue.update([], now: after(129))
        #expect(queue.nextBatch() == nil, "it came back")
        queue.update([], now: after(130))
        let events = take(&queue)
        #expect(events.map(\.state) == [.ended] && events.map(\.since) == [after(1)])
        #expect(events.map(\.condition) == [lane()])
        // And again from the beginning.
        queue.update([lane()], now: after(140))
        #expect(take(&queue).map(\.state) == [.begun])
    }

    @Test("one that passes by itself is an event only when it has held for a minute")
    func holds() {
        var queue = started()
        let slow = lane("ios:apns:production", .laneUnreachable)
        queue.update([slow], now: after(0))
        queue.update([slow], now: after(59))
        queue.update([], now: after(60))
        queue.update([slow], now: after(61))
        queue.update([slow], now: after(120))
        #expect(queue.nextBatch() == nil)
        queue.update([slow], now: after(121))
        #expect(take(&queue).map(\.since) == [after(61)])
    }

    @Test("each step of a condition is an event, with the beginning of the first")
    func steps() {
        var queue = started()
        func failing(_ level: String) -> OperatorCondition { lane("", .webhookFailing, level: level) }
        queue.update([failing("50")], now: after(1))
        #expect(take(&queue).map(\.state) == [.begun])
        queue.update([failing("70")], now: after(2))
        let events = take(&queue)
        #expect(events.map(\.state) == [.changed] && events.map(\.condition.level) == ["70"])
        #expect(events.map(\.since) == [after(1)])
    }

    @Test("what waits is replaced by the next event of its subject, and says the same to a receiver that missed it")
    func coalesces() {
        var queue = started()
        func failing(_ level: String) -> OperatorCondition { lane("", .webhookFailing, level: level) }
        queue.update([failing("50"), lane()], now: after(1))
        queue.update([failing("70"), lane()], now: after(2))
        #expect(queue.waitingCount == 2 && queue.counts.coalesced == 1)
        queue.update([failing("70")], now: after(3))
        queue.update([failing("70")], now: after(63))
        let events = take(&queue)
        // A stop that began and ended while the receiver was down is still an event.
        #expect(events.map(\.condition.subject.type) == [.webhookFailing, .laneStopped])
        #expect(events.map(\.state) == [.begun, .ended] && events.map(\.condition.level) == ["70", nil])
        #expect(events[1].since == after(1))
        #expect(queue.counts.coalesced == 2 && queue.counts.lost == 0)
    }

    @Test("a clock that is set back neither ends nor repeats anything")
    func clock() {
        var queue = started()
        queue.update([lane()], now: after(1000))
        _ = take(&queue)
        queue.update([], now: after(1001))
        queue.update([], now: after(0))
        queue.update([], now: after(59))
        #expect(queue.nextBatch() == nil)
        queue.update([], now: after(60))
        #expect(take(&queue).map(\.state) == [.ended])
    }

    @Test("one brand's conditions take no room from another's; what finds no room comes later, or is counted as lost")
    func bounded() throws {
        var queue = started()
        let many = (0..<150).map { lane("lane-\($0)") }
        let other = lane("other", brand: BrandID(trusted: "globex"))
        queue.update(many + [other], now: after(1))
        #expect(queue.waitingCount == 101 && queue.counts.lost == 0)
        // Ten of those that wait for room are over.
        let left = Array(many.prefix(140)) + [other]
        queue.update(left, now: after(2))
        #expect(queue.waitingCount == 101 && queue.counts.lost == 10)
        let batch = try next(&queue)
        #expect(batch.events.count == OperatorEventBatch.maxEvents)
        let body = try #require(try JSONSerialization.jsonObject(with: Data(batch.body)) as? [String: Any])
        #expect(body["lost"] as? Int == 10)
        queue.batchTaken()
        let rest = try next(&queue)
        #expect(rest.events.map(\.condition) == [other])
        queue.batchTaken()
        queue.update(left, now: after(3))
        #expect(queue.waitingCount == 40 && queue.counts.lost == 10)
        let last = try #require(try JSONSerialization.jsonObject(with: Data(rest.body)) as? [String: Any])
        #expect(last["lost"] == nil)
    }

    @Test("all brands together have a limit, and a brand without an event still finds room")
    func boundedAltogether() {
        var queue = OperatorEventQueue(startedAt: Self.start)
        let many = (0..<100).flatMap { brand in
            (0..<100).map { lane("lane-\($0)", brand: BrandID(trusted: "b-\(brand)")) }
        }
        queue.update(many, now: after(1))
        #expect(queue.waitingCount <= OperatorEventQueue.capacity)
        #expect(queue.counts.lost == 0)
        queue.update([lane(brand: BrandID(trusted: "late"))], now: after(2))
        var brands: Set<String> = []
        while let batch = queue.nextBatch() {
            brands.formUnion(batch.events.compactMap(\.condition.subject.brand?.rawValue))
            queue.batchTaken()
        }
        #expect(brands.contains("late"))
    }

    @Test("an event is JSON with names, times and words, and nothing else")
    func json() throws {
        var queue = started()
        var condition = lane()
        (condition.status, condition.reason) = (403, "InvalidProviderToken")
        var ending = OperatorCondition(.init(.certificateEnding), level: "within_7_days")
        ending.expiresAt = after(86_400)
        queue.update([condition, ending], now: after(1))
        let batch = try next(&queue)
        let text = String(decoding: batch.body, as: UTF8.self)
        #expect(
            text == """
                {"startedAt":"2026-01-02T03:04:05.000Z","items":[\
                {"position":2,"type":"lane.stopped","time":"2026-01-02T03:04:06.000Z","data":{"state":"begun",\
                "since":"2026-01-02T03:04:06.000Z","brand":"acme","name":"ios:apns:production","status":403,\
                "reason":"InvalidProviderToken"}},\
                {"position":3,"type":"certificate.ending","time":"2026-01-02T03:04:06.000Z","data":{"state":"begun",\
                "since":"2026-01-02T03:04:06.000Z","level":"within_7_days","expiresAt":"2026-01-03T03:04:05.000Z"}}]}
                """
        )
    }

    @Test(
        "failed attempts in a row are an event at 50, 70, 90 and 100 per cent of ten, and 410 is 100 per cent",
        arguments: [
            (0, false, nil), (4, false, nil), (5, false, "50"), (6, false, "50"), (7, false, "70"), (8, false, "70"),
            (9, false, "90"), (10, false, "100"), (5000, false, "100"), (1, true, "100"),
        ] as [(Int, Bool, String?)]
    )
    func failures(attempts: Int, isOff: Bool, level: String?) {
        let webhook = OperatorCondition(OutboundReceiver(brand: Self.acme), failedAttempts: attempts, isOff: isOff)
        #expect(webhook?.level == level && (webhook == nil) == (level == nil))
        #expect(webhook.map { $0.subject == .init(.webhookFailing, brand: Self.acme) } != false)
        let hook = OutboundReceiver(brand: Self.acme, hook: HookID(trusted: "desk"))
        let replies = OperatorCondition(hook, failedAttempts: attempts, isOff: isOff)
        #expect(replies?.level == level && replies?.subject.name == level.map { _ in "desk" })
        #expect(replies.map { $0.subject.type == .repliesFailing } != false)
    }
}
