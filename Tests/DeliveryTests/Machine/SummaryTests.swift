import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("A summary")
struct SummaryTests {
    /// Returns a state machine whose brand wants no more than two pushes at once.
    private static func script(_ change: (inout DeliverySettings) -> Void = { _ in }) -> MachineScript {
        var script = MachineScript()
        var settings = script.machine.settings
        change(&settings)
        script.machine = DeliveryMachine(settings: settings, backlog: [:])
        var brand = BrandSettings()
        brand.summaryThreshold = 2
        script.machine.setRules(LaneRules(brand), of: MachineScript.lane, isChange: false)
        return script
    }

    /// Returns rows of one device, each of a conversation of its own, whose numbers are those of the rows.
    private static func rows(_ script: inout MachineScript, _ count: Int64, device: Int64 = 1) throws -> [OutboxRow] {
        var rows: [OutboxRow] = []
        for _ in 0..<count {
            var row = try script.row(device: device, consumer: device, unread: 9)
            row.conversation = ConversationKey(row.id.rawValue)
            rows.append(row)
        }
        return rows
    }

    /// Returns four rows that waited for a minute, whose summary has left.
    private static func sent(
        _ change: (inout DeliverySettings) -> Void = { _ in }
    ) throws -> (script: MachineScript, rows: [OutboxRow]) {
        var script = script(change)
        let rows = try rows(&script, 4)
        script.turn(owned: rows)
        script.now = script.now.adding(seconds: 60)
        let jobs = script.take()
        #expect(jobs.map(\.delivery) == [rows[3].id] && jobs.map(\.summary) == [4])
        return (script, rows)
    }

    @Test("is the newest of too many that waited for a device; few or young ones leave one by one")
    func storm() throws {
        var script = Self.script()
        var many = try Self.rows(&script, 3)
        many[0].expiresAt = script.now.adding(seconds: 7200)
        let few = try Self.rows(&script, 2, device: 2)
        script.turn(owned: many + few)
        script.now = script.now.adding(seconds: 59)
        var early = script
        #expect(early.take().map(\.delivery) == [many[0].id, few[0].id])
        script.now = script.now.adding(seconds: 1)
        let jobs = script.take()
        #expect(jobs.map(\.delivery) == [many[2].id, few[0].id])
        #expect(jobs.map(\.summary) == [3, 0] && jobs.map(\.badge) == [9, 9])
        #expect(jobs.map(\.expiresAt) == [many[0].expiresAt, few[0].expiresAt])
    }

    @Test("leaves in the place of the oldest, behind older rows, and before rows that leave by themselves")
    func place() throws {
        var script = Self.script()
        let first = try script.row(silent: true)
        let many = try Self.rows(&script, 3)
        var between = many[2]
        let silent = try script.row(silent: true)
        between.id = DeliveryID(silent.id.rawValue + 1)
        script.turn(owned: [first, many[0], many[1], silent, between])
        script.now = script.now.adding(seconds: 60)
        for (id, summary) in [(first.id, 0), (between.id, 3), (silent.id, 0)] {
            let jobs = script.take()
            #expect(jobs.map(\.delivery) == [id] && jobs.map(\.summary) == [Int64(summary)])
            script.respond(id, .accepted(providerID: nil))
        }
        #expect(script.take().isEmpty && script.machine.rowCount == 0)
    }

    @Test("ends the rows that it stood for when it is accepted, in the same commit")
    func accepted() throws {
        var (script, rows) = try Self.sent { $0.maxOutcomesPerTurn = 1 }
        script.respond(rows[3].id, .accepted(providerID: nil))
        #expect(script.machine.rowCount == 0 && script.take().isEmpty)
        let next = try script.row()
        script.machine.addLane(MachineScript.lane)
        let plan = script.turn(owned: [next])
        #expect(plan.outcomes.map(\.delivery) == [3, 0, 1, 2].map { rows[$0].id })
        let ends = Array(repeating: OutcomeRecord.Disposition.finished(.suppressed, .collapsed), count: 3)
        #expect(plan.outcomes.map(\.disposition) == [.finished(.accepted, nil)] + ends)
        #expect(script.take().map(\.delivery) == [next.id])
        script.respond(next.id, .accepted(providerID: nil))
        script.turn()
        #expect(script.machine.isEmpty)
    }

    @Test("leaves again without messages that were read meanwhile, and ends with the last one")
    func readMeanwhile() throws {
        var (script, rows) = try Self.sent()
        script.turn(withdrawn: [rows[1]])
        script.respond(rows[3].id, .retry(afterSeconds: nil, scope: .device), status: 503)
        #expect(script.turn().outcomes.map(\.delivery) == [0, 2, 3].map { rows[$0].id })
        // As the store hands them out when they are due.
        script.now = script.now.adding(seconds: 10)
        let left = [rows[0], rows[2], rows[3]]
        script.turn(claims: [ClaimResult(lane: MachineScript.lane, rows: left, nextDue: nil)])
        var other = script
        #expect(script.take().map(\.summary) == [3])
        // The newest was read: another one stands for the rest.
        other.turn(
            owned: [try other.row()].map { row in
                var row = row
                row.conversation = ConversationKey(99)
                row.unread = 9
                return row
            }
        )
        other.turn(withdrawn: [rows[3]])
        let last = DeliveryID(other.lastRow)
        #expect(other.take().map(\.delivery) == [last])
        other.turn(withdrawn: [rows[0], rows[2]])
        other.respond(last, .accepted(providerID: nil))
        #expect(other.turn().outcomes.map(\.delivery) == [last])
        #expect(other.machine.isEmpty)
    }

    @Test("that can never leave is replaced by the next of its messages")
    func rejected() throws {
        var (script, rows) = try Self.sent()
        script.respond(rows[3].id, .rejected(token: .keep), status: 400)
        let jobs = script.take()
        #expect(jobs.map(\.delivery) == [rows[2].id] && jobs.map(\.summary) == [3])
        script.respond(rows[2].id, .rejected(token: .keep), status: 400)
        #expect(script.take().map(\.summary) == [0])
    }

    @Test("keeps its messages until its result, when the process stops or the lane loses its credential")
    func kept() throws {
        for isAccepted in [true, false] {
            for isDraining in [true, false] {
                var (script, rows) = try Self.sent()
                let young = try Self.rows(&script, 1)
                script.turn(owned: young)
                if isDraining {
                    script.machine.drain(now: script.now)
                } else {
                    script.machine.removeLane(MachineScript.lane, now: script.now)
                }
                #expect(script.turn().outcomes.map(\.delivery) == young.map(\.id))
                script.respond(rows[3].id, isAccepted ? .accepted(providerID: nil) : .rejected(token: .keep))
                let plan = script.turn()
                #expect(plan.outcomes.map(\.delivery) == [3, 0, 1, 2].map { rows[$0].id })
                let end: OutcomeRecord.Disposition =
                    isAccepted ? .finished(.suppressed, .collapsed) : .release(due: script.now)
                #expect(plan.outcomes.dropFirst().allSatisfy { $0.disposition == end })
                script.turn()
                #expect(script.machine.isEmpty)
            }
        }
    }

    @Test("waits for rows in the store: those in memory are requeued, once, and claimed together with them")
    func part() throws {
        var script = Self.script()
        let rows = try Self.rows(&script, 4)
        script.turn(owned: [rows[0]], unowned: [MachineScript.lane: script.now])
        var young = script
        young.now = script.now.adding(seconds: 59)
        #expect(young.take().map(\.delivery) == [rows[0].id])
        script.now = script.now.adding(seconds: 60)
        #expect(script.take().isEmpty && script.machine.rowCount == 0)
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.outcomes.map(\.disposition) == [.release(due: rows[0].queuedAt)])
        let claim = ClaimResult(lane: MachineScript.lane, rows: rows, nextDue: script.now)
        script.commit(plan, claims: [claim])
        #expect(script.take().map(\.summary) == [4])
    }

    @Test("in flight outlives its messages")
    func expiry() throws {
        var (script, rows) = try Self.sent()
        script.now = script.now.adding(seconds: 3600)
        #expect(script.turn().outcomes.isEmpty)
        script.respond(rows[3].id, .accepted(providerID: nil))
        #expect(script.turn().outcomes.dropFirst().allSatisfy { $0.disposition == .finished(.suppressed, .collapsed) })
        #expect(script.machine.isEmpty)
    }

    @Test("that fails and is finished closes its lane no longer than until its other rows are requeued")
    func closesLane() throws {
        var script = Self.script {
            $0.retryDelaysSeconds = [1, 1000, 9000]
            $0.maxOutcomesPerTurn = 3
        }
        var rows = try Self.rows(&script, 4)
        rows[3].expiresAt = script.now.adding(seconds: 61)
        script.turn(owned: rows)
        script.now = script.now.adding(seconds: 60)
        #expect(script.take().map(\.delivery) == [rows[3].id])
        // Rows of other devices wait in the store.
        script.turn(unowned: [MachineScript.lane: script.now])
        script.respond(rows[3].id, .retry(afterSeconds: 1000, scope: .device))
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.outcomes.map(\.delivery) == rows.prefix(3).map(\.id))
        #expect(plan.claims.map(\.lane) == [MachineScript.lane])
    }

    @Test("is retried no sooner than its messages would be, and with all of them")
    func again() throws {
        var script = Self.script { $0.retryDelaysSeconds = [1, 1000, 9000] }
        var rows = try Self.rows(&script, 4)
        rows[0].attempts = 1
        rows[3].expiresAt = script.now.adding(seconds: 61)
        for isShort in [true, false] {
            if !isShort { rows[3].expiresAt = rows[0].expiresAt }
            var script = script
            script.turn(owned: rows)
            script.now = script.now.adding(seconds: 60)
            #expect(script.take().map(\.delivery) == [rows[3].id])
            #expect(script.machine.history(of: rows[3].id)?.isResend == true)
            script.respond(rows[3].id, .unknown)
            #expect(script.take().isEmpty)
            let plan = script.turn()
            // The newest comes last, so that a crash between them leaves none due before the others.
            #expect(plan.outcomes.map(\.delivery) == rows.map(\.id))
            guard case .release(let due, isAsked: true)? = plan.outcomes.first?.disposition else {
                Issue.record("\(plan.outcomes)")
                return
            }
            #expect(due >= script.now.adding(seconds: 1000))
            #expect(plan.outcomes.prefix(3).allSatisfy { $0.disposition == .release(due: due, isAsked: true) })
            #expect(plan.outcomes.last?.disposition == (isShort ? .finished(.expired, nil) : .retry(due: due)))
            #expect(plan.outcomes.last?.earlierTries == 0)
        }
    }

    @Test("is not split by a claim: a device's rows are claimed together")
    func claims() {
        let backlog = [
            MachineScript.lane: Timestamp(milliseconds: 0), MachineScript.otherLane: Timestamp(milliseconds: 0),
        ]
        var script = MachineScript(backlog: backlog, slots: 4096)
        var brand = BrandSettings()
        brand.summaryThreshold = 5
        script.machine.setRules(LaneRules(brand), of: MachineScript.lane, isChange: false)
        let claims = script.machine.beginTurn(now: script.now).claims
        #expect(Set(claims.map(\.limit)) == [500])
        #expect(claims.first { $0.lane == MachineScript.lane }?.deviceRows == .whole(upTo: 1000))
        #expect(claims.first { $0.lane == MachineScript.otherLane }?.deviceRows == .limited(to: DeviceLimit(8)))
    }
}
