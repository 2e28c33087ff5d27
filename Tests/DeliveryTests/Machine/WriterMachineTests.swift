import Delivery
import GatewayModel
import GatewayStorage
import Testing

@Suite("The writer's state machine")
struct WriterMachineTests {
    private typealias Writer = WriterMachine<String, String>

    private static let brand = BrandID(trusted: "acme")
    private static let full = StorageError.full(detail: "for this test")
    private static let poison = StorageError.constraint(detail: "for this test")
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    /// A running writer, and the steps that it is asked for.
    private final class Script {
        var writer = Writer(settings: DeliverySettings())
        var now = WriterMachineTests.start
        /// The callers in the order in which they were resumed, each with its result.
        var responses: [String] = []

        init(backlog: [LaneQueue: Timestamp] = [:]) {
            writer.start(
                IncarnationStart(
                    incarnation: IncarnationID(1),
                    now: WriterMachineTests.start,
                    backlog: backlog,
                    recovered: 0,
                    lastMessage: nil
                ),
                randomPart: 0
            )
        }

        func accept(_ caller: String, events: [String]) -> IntakeError? {
            let posted = events.map {
                AgentEvent(id: EventID(trusted: $0), type: .agentMessage, consumer: ConsumerID(trusted: "u1"))
            }
            let piece = IntakePiece(
                brand: WriterMachineTests.brand,
                messageTtlSeconds: 60,
                dedupeHours: 1,
                events: posted[...],
                takenAt: 7
            )
            return writer.accept(piece, from: caller)
        }

        func read(_ caller: String) -> IntakeError? {
            writer.perform(
                .read(
                    ReadRequest(
                        brand: WriterMachineTests.brand,
                        consumer: ConsumerID(trusted: "u1"),
                        conversation: ConversationID(trusted: caller),
                        target: .sequence(1),
                        device: nil
                    )
                ),
                for: caller
            )
        }

        func receipts(_ caller: String, count: Int) -> IntakeError? {
            let receipt = DeviceReceipt(
                message: MessageID(high: 1, low: 1),
                device: DeviceID(trusted: "d1"),
                state: .displayed,
                at: now
            )
            let all = Array(repeating: receipt, count: count)
            return writer.perform(
                .receipts(brand: WriterMachineTests.brand, consumer: ConsumerID(trusted: "u1"), all),
                for: caller
            )
        }

        /// Returns the next step's turn, if it is one.
        func turn() -> WriterTurn? {
            if case .commit(let commit) = writer.next(now: now) { commit.turn } else { nil }
        }

        func next() -> WriterStep { writer.next(now: now) }

        func probed(_ error: StorageError?) -> Writer.Effects { note(writer.probed(error, now: now)) }

        func readFailed(_ error: StorageError) -> Writer.Effects { note(writer.readFailed(error, now: now)) }

        /// Commits a turn: every change is not found, every event makes this many deliveries, or is unknown.
        func commit(_ turn: WriterTurn, deliveries: Int? = nil) -> Writer.Effects {
            let accepted = deliveries.map {
                AcceptedEvent(messageID: nil, conversation: nil, sequence: nil, unread: 0, deliveries: $0)
            }
            var result = WriterTurnResult()
            result.outcomes = turn.outcomes.map { _ in OutcomeEffect() }
            result.changes = turn.changes.map { _ in .notFound }
            let event = accepted.map(EventResult.accepted) ?? .rejected(.unknownConversation)
            result.accepts = turn.accepts.map { $0.events.map { _ in event } }
            return note(writer.committed(result, now: now))
        }

        func fail(_ error: StorageError) -> Writer.Effects { note(writer.failed(error, now: now)) }

        func note(_ effects: Writer.Effects) -> Writer.Effects {
            for (caller, outcome) in effects.changes {
                if case .success = outcome {
                    responses.append("\(caller) done")
                } else {
                    responses.append("\(caller) failed")
                }
            }
            for (caller, outcome) in effects.events {
                switch outcome {
                case .success(let results):
                    let words = results.map { if case .decided = $0 { "decided" } else { "failed" } }
                    responses.append("\(caller) \(words.joined(separator: " "))")
                case .failure: responses.append("\(caller) failed")
                }
            }
            return effects
        }
    }

    @Test("what waited while one turn was committed makes up the next, and each caller is resumed once")
    func groups() throws {
        let script = Script()
        #expect(script.read("a") == nil)
        guard case .commit(let first) = script.next() else {
            Issue.record("nothing to commit")
            return
        }
        #expect(first.turn.changes.count == 1 && first.takenAt.isEmpty && script.writer.isInTurn)
        #expect(script.accept("b", events: ["e1", "e2"]) == nil)
        #expect(script.read("c") == nil)
        _ = script.commit(first.turn)
        guard case .commit(let second) = script.next() else {
            Issue.record("nothing to commit")
            return
        }
        #expect(second.turn.changes.count == 1 && second.turn.accepts[0].events.count == 2 && second.takenAt == [7])
        let ids = second.turn.accepts[0].events.map(\.messageID)
        #expect(ids[0] < ids[1])
        _ = script.commit(second.turn)
        #expect(script.responses == ["a done", "c done", "b decided decided"])
        guard case .sleep(until: nil) = script.next() else {
            Issue.record("it does not sleep")
            return
        }
        #expect(!script.writer.isInTurn)
    }

    @Test(
        "callers do not wait for campaigns' backlogs, nor do these wait forever",
        arguments: [false, true]
    )
    func yields(isChange: Bool) throws {
        let campaign = LaneQueue(LaneID(1), .proactive(campaign: nil))
        let script = Script(backlog: [campaign: Self.start])
        var claims: [[LaneQueue]] = []
        for number in 0..<4 {
            #expect((isChange ? script.read("c\(number)") : script.accept("\(number)", events: ["e\(number)"])) == nil)
            let turn = try #require(script.turn())
            #expect(turn.accepts.count + turn.changes.count == 1)
            claims.append(turn.claims.map { LaneQueue($0.lane, $0.queue) })
            _ = script.commit(turn)
        }
        #expect(claims == [[], [campaign], [], [campaign]])
        // Without callers they are claimed at once.
        #expect(try #require(script.turn()).claims.count == 1)
    }

    @Test("a change of many receipts counts as many")
    func weighsReceipts() throws {
        let script = Script()
        for caller in ["a", "b", "c", "d"] { #expect(script.receipts(caller, count: 20) == nil) }
        let first = try #require(script.turn())
        #expect(first.changes.count == 2)
        _ = script.commit(first)
        #expect(try #require(script.turn()).changes.count == 2)
    }

    @Test("a turn has few devices of an import")
    func weighsImports() throws {
        let script = Script()
        var device = DeviceToRegister(
            brand: Self.brand,
            app: AppID(trusted: "ios"),
            device: DeviceID(trusted: "d1"),
            consumer: ConsumerID(trusted: "u1"),
            token: "aa",
            pushType: .apns,
            environment: .production,
            platform: .ios,
            receives: .all
        )
        for isImported in [true, false] {
            device.isImported = isImported
            for number in 0..<60 { #expect(script.writer.perform(.register(device), for: "\(number)") == nil) }
            var counts: [Int] = []
            for _ in 0..<(isImported ? 4 : 2) {
                let turn = try #require(script.turn())
                counts.append(turn.changes.count)
                _ = script.commit(turn)
            }
            #expect(counts == (isImported ? [16, 16, 16, 12] : [50, 10]))
        }
    }

    @Test("events for many devices count as many, and pieces of them are cut smaller")
    func weighsDeliveries() throws {
        let script = Script()
        #expect(script.writer.eventsPerPiece(of: Self.brand) == 500)
        #expect(script.accept("first", events: ["e0"]) == nil)
        _ = script.commit(try #require(script.turn()), deliveries: 100)
        #expect(script.writer.eventsPerPiece(of: Self.brand) == 5)
        #expect(script.writer.eventsPerPiece(of: BrandID(trusted: "other")) == 500)
        for number in 1...9 { #expect(script.accept("\(number)", events: ["e\(number)"]) == nil) }
        let second = try #require(script.turn())
        #expect(second.accepts.count == 5)
        _ = script.commit(second, deliveries: 1)
        // The next events may be for many again: the estimate falls gradually.
        #expect((6...10).contains(script.writer.eventsPerPiece(of: Self.brand)))
        for _ in 0..<60 {
            #expect(script.accept("again", events: ["e"]) == nil)
            _ = script.commit(try #require(script.turn()), deliveries: 1)
        }
        #expect(script.writer.eventsPerPiece(of: Self.brand) == 500)
    }

    @Test("one poison row fails its own caller and no other")
    func splits() throws {
        let script = Script()
        #expect(script.read("good") == nil && script.read("bad") == nil)
        #expect(script.accept("mixed", events: ["e1", "e2"]) == nil)
        #expect(script.accept("lost", events: ["e3"]) == nil)
        _ = try #require(script.turn())
        #expect(script.fail(Self.poison).failure == .splits)
        #expect(script.writer.rejection(ofChange: true) == nil)
        var parts = 0
        while let part = script.turn() {
            parts += 1
            #expect(part.changes.count + part.accepts.reduce(0) { $0 + $1.events.count } == 1)
            let isBad = [2, 4, 5].contains(parts)
            if isBad { #expect(script.fail(Self.poison).failure == .poison) } else { _ = script.commit(part) }
        }
        #expect(parts == 5)
        #expect(script.responses == ["good done", "bad failed", "mixed decided failed", "lost failed"])
        #expect(script.writer.storeError == nil && !script.writer.isInTurn)
    }

    @Test("a store that fails between the parts fails the remaining ones and all waiting callers")
    func failsBetweenParts() throws {
        let script = Script()
        #expect(script.read("first") == nil && script.read("second") == nil)
        #expect(script.accept("mixed", events: ["e1", "e2"]) == nil)
        _ = try #require(script.turn())
        _ = script.fail(Self.poison)
        _ = script.commit(try #require(script.turn()))
        _ = try #require(script.turn())
        #expect(script.read("waits") == nil)
        #expect(script.fail(Self.full).failure == .store(isNew: true))
        #expect(script.responses == ["first done", "waits failed", "second failed", "mixed failed"])
        #expect(!script.writer.isInTurn)
        #expect(script.read("late") == .storage(Self.full))
    }

    @Test("a store that failed is not used for a second, is probed when nothing waits, and is then used again")
    func probes() throws {
        let script = Script()
        #expect(script.read("a") == nil)
        _ = try #require(script.turn())
        #expect(script.fail(Self.full).failure == .store(isNew: true))
        guard case .sleep(let until?) = script.next() else {
            Issue.record("it does not rest")
            return
        }
        #expect(until == script.now.adding(seconds: 1))
        script.now = until
        guard case .probe = script.next() else {
            Issue.record("it does not probe")
            return
        }
        #expect(script.probed(Self.full).failure == .store(isNew: false))
        script.now = script.now.adding(seconds: 1)
        _ = script.next()
        #expect(script.probed(nil).isRecovered)
        #expect(script.read("b") == nil)
    }

    @Test("a stop retries a failed store at once, and completes what was taken")
    func stops() throws {
        let script = Script()
        #expect(script.read("a") == nil)
        _ = try #require(script.turn())
        _ = script.fail(Self.full)
        script.writer.stop()
        guard case .probe = script.next() else {
            Issue.record("it does not try")
            return
        }
        #expect(script.probed(nil).isRecovered)
        guard case .done = script.next() else {
            Issue.record("it is not done")
            return
        }
        #expect(script.read("b") == .stopping)
    }

    @Test("a turn that violates a constraint after a read found damage is not committed in parts")
    func damageBeforeSplit() throws {
        let corrupt = StorageError.corrupt(detail: "for this test")
        let script = Script()
        #expect(script.read("first") == nil && script.accept("second", events: ["e1", "e2"]) == nil)
        _ = try #require(script.turn())
        #expect(script.read("waits") == nil && script.accept("waits too", events: ["e3"]) == nil)
        _ = script.readFailed(corrupt)
        #expect(script.responses == ["waits failed", "waits too failed"])
        _ = script.fail(Self.poison)
        #expect(script.responses.dropFirst(2) == ["first failed", "second failed"])
        guard case .sleep(until: nil) = script.next() else {
            Issue.record("it continues")
            return
        }
    }

    @Test("damage that a read found fails all waiting callers, and nothing more is written, not even parts of a turn")
    func damage() throws {
        let corrupt = StorageError.corrupt(detail: "for this test")
        let script = Script()
        #expect(script.read("first") == nil && script.read("second") == nil)
        _ = try #require(script.turn())
        _ = script.fail(Self.poison)
        let part = try #require(script.turn())
        #expect(script.accept("waits", events: ["e1"]) == nil)
        #expect(script.readFailed(Self.full).failure == nil)
        #expect(script.responses.isEmpty)
        #expect(script.readFailed(corrupt).failure == .store(isNew: true))
        #expect(script.responses == ["waits failed"])
        #expect(!script.commit(part).isRecovered)
        #expect(script.responses == ["waits failed", "first done", "second failed"])
        guard case .sleep(until: nil) = script.next() else {
            Issue.record("it continues")
            return
        }
        #expect(script.read("late") == .storage(corrupt))
    }
}
