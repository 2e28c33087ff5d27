import Delivery
import GatewayModel
import GatewayStorage
import Testing

@Suite("In quiet hours")
struct QuietHoursTests {
    /// Returns quiet hours of one hour from 10 minutes before now, in UTC.
    private static func settings(_ script: MachineScript, _ mode: QuietHours.Mode = .held) -> BrandSettings {
        let minute = Int(script.now.milliseconds / 60_000 % 1440)
        var settings = BrandSettings()
        settings.quietHours = QuietHours(from: minute - 10, to: minute + 50, timeZone: "UTC", mode: mode)
        return settings
    }

    private static func script(_ mode: QuietHours.Mode = .held) -> (MachineScript, end: Timestamp) {
        var script = MachineScript()
        script.machine.setRules(LaneRules(settings(script, mode)), of: MachineScript.lane, isChange: false)
        let minute = script.now.milliseconds / 60_000 * 60_000
        return (script, Timestamp(milliseconds: minute).adding(seconds: 3000))
    }

    private static func dispositions(_ plan: DeliveryMachine.TurnPlan) -> [OutcomeRecord.Disposition] {
        plan.outcomes.map(\.disposition)
    }

    @Test("a device's pushes are requeued until the end, in order, and leave then")
    func held() throws {
        let (made, end) = Self.script()
        var script = made
        let rows = try [1, 2].map { try script.row(sequence: $0, ttlSeconds: 86_400) }
        let other = try script.row(device: 2, consumer: 2, lane: MachineScript.otherLane)
        script.turn(owned: rows + [other])
        #expect(script.take().isEmpty)
        #expect(script.take(lane: MachineScript.otherLane).map(\.delivery) == [other.id])
        #expect(script.machine.nextDeadline(now: script.now) ?? end <= end)
        let plan = script.turn()
        #expect(plan.outcomes.map(\.delivery) == rows.map(\.id))
        #expect(Self.dispositions(plan) == [.release(due: end), .release(due: end)])
        #expect(script.machine.nextDeadline(now: script.now) == end)
        // Younger rows must queue up behind them, and nothing is claimed before its time.
        let next = script.turn()
        #expect(next.budgets[MachineScript.lane]?.mayHaveBacklog == true && next.claims.isEmpty)
        script.now = end
        let claim = script.machine.beginTurn(now: script.now)
        #expect(claim.claims.map(\.lane) == [MachineScript.lane])
        script.commit(claim, claims: [ClaimResult(lane: MachineScript.lane, rows: rows, nextDue: nil)])
        #expect(script.take().map(\.delivery) == [rows[0].id])
    }

    @Test("after a restart in between it is decided again")
    func restarted() throws {
        let (made, end) = Self.script()
        var script = made
        let backlog = MachineScript.agents([MachineScript.lane: script.now])
        script.machine = DeliveryMachine(settings: script.machine.settings, backlog: backlog)
        script.machine.setRules(LaneRules(Self.settings(script)), of: MachineScript.lane, isChange: false)
        let row = try script.row(ttlSeconds: 86_400)
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.claims.count == 1)
        script.commit(plan, claims: [ClaimResult(lane: MachineScript.lane, rows: [row], nextDue: nil)])
        #expect(script.take().isEmpty)
        #expect(Self.dispositions(script.turn()) == [.release(due: end)])
    }

    @Test("rows that expire before their end are suppressed by them")
    func tooLate() throws {
        let (made, end) = Self.script()
        var script = made
        let short = try script.row(sequence: 1, ttlSeconds: 60)
        let long = try script.row(sequence: 2, ttlSeconds: 86_400)
        script.turn(owned: [short, long])
        #expect(script.take().isEmpty)
        #expect(Self.dispositions(script.turn()) == [.finished(.suppressed, .quietHours), .release(due: end)])
        let last = try script.row(device: 3, ttlSeconds: 60)
        script.turn(owned: [last])
        #expect(script.take().isEmpty)
        #expect(Self.dispositions(script.turn()) == [.finished(.suppressed, .quietHours)])
        #expect(script.machine.rowCount == 0)
    }

    @Test("pushes that show nothing leave")
    func silentMessage() throws {
        var (script, _) = Self.script()
        let row = try script.row(silent: true)
        script.turn(owned: [row])
        let jobs = script.take()
        #expect(jobs.map(\.delivery) == [row.id] && jobs.allSatisfy { !$0.isQuiet })
    }

    @Test("in the silent mode pushes leave without a sound, and with the current badge")
    func silentMode() throws {
        let (made, end) = Self.script(.silent)
        var script = made
        let row = try script.row(unread: 4)
        script.turn(owned: [row])
        let jobs = script.take()
        #expect(jobs.map(\.badge) == [4] && jobs.map(\.isQuiet) == [true])
        script.respond(row.id, .accepted(providerID: nil))
        script.now = end
        script.turn(owned: [try script.row(unread: 5, ttlSeconds: 86_400)])
        #expect(script.take().map(\.isQuiet) == [false])
    }

    @Test("a consumer's own take precedence over the brand's, in both directions, also for rows in memory")
    func consumer() throws {
        let (made, end) = Self.script()
        var script = made
        var row = try script.row(ttlSeconds: 86_400)
        row.traits = DeviceTraits(locale: nil, timeZone: nil, quietHours: .off)
        script.turn(owned: [row])
        #expect(script.take().map(\.delivery) == [row.id])

        script = MachineScript()
        let waiting = try script.row(ttlSeconds: 86_400)
        script.turn(owned: [waiting])
        script.turn(registrations: [.quietHours(waiting.consumer, Self.settings(script).quietHours)])
        #expect(script.take().isEmpty)
        #expect(Self.dispositions(script.turn()) == [.release(due: end)])
    }

    @Test("the device's own time zone decides")
    func timeZone() throws {
        var (script, _) = Self.script()
        var row = try script.row(ttlSeconds: 86_400)
        row.traits = DeviceTraits(locale: nil, timeZone: "Asia/Tokyo")
        script.turn(owned: [row])
        #expect(script.take().map(\.delivery) == [row.id])
    }

    @Test("when an operator changes them, waiting rows are checked again, batch by batch, also when a turn fails")
    func changed() throws {
        var (script, _) = Self.script()
        script.turn(unowned: [MachineScript.lane: script.now.adding(seconds: 3000)])
        #expect(script.turn().requeues.isEmpty)
        script.machine.setRules(LaneRules(Self.settings(script)), of: MachineScript.lane, isChange: true)
        #expect(script.turn().requeues.isEmpty)
        // A provider that is created again between the change and its notification.
        script.machine.setRules(nil, of: MachineScript.lane, isChange: false)
        script.machine.setRules(nil, of: MachineScript.lane, isChange: true)
        #expect(script.machine.nextDeadline(now: script.now) == script.now)
        let failed = script.machine.beginTurn(now: script.now)
        #expect(failed.needsCommit)
        script.machine.turnFailed(failed.outcomes)
        for count in [failed.requeues[0].limit, 3] {
            let plan = script.machine.beginTurn(now: script.now)
            #expect(plan.requeues == failed.requeues)
            var turn = WriterTurn(now: script.now, incarnation: IncarnationID(1))
            turn.requeues = plan.requeues
            var result = WriterTurnResult()
            result.requeued = [count]
            result.unowned = MachineScript.agents([MachineScript.lane: script.now])
            _ = script.machine.turnCommitted(result, of: turn, now: script.now)
        }
        let plan = script.turn()
        #expect(plan.requeues.isEmpty && plan.claims.map(\.lane) == [MachineScript.lane])
    }

    @Test("rows that were held while the change was stored, and are being requeued, do not wait longer either")
    func changedMeanwhile() throws {
        let (made, end) = Self.script()
        var script = made
        let row = try script.row(ttlSeconds: 86_400)
        script.turn(owned: [row])
        let plan = script.machine.beginTurn(now: script.now)
        #expect(script.take().isEmpty)
        script.commit(plan, registrations: [.quietHours(row.consumer, .off)])
        #expect(Self.dispositions(script.turn()) == [.release(due: script.now)])
        #expect(script.now < end)

        // The same for an operator's change: rows that are not committed yet are checked after their commit.
        script = Self.script().0
        let rows = try (1...3).map { try script.row(device: $0, consumer: $0, ttlSeconds: 86_400) }
        script.turn(owned: rows)
        #expect(script.take().isEmpty)
        let failing = script.machine.beginTurn(now: script.now)
        script.machine.setRules(nil, of: MachineScript.lane, isChange: true)
        script.machine.turnFailed(failing.outcomes)
        let whole = script.machine.beginTurn(now: script.now)
        #expect(whole.outcomes.count == 3 && whole.requeues.count == 1)
    }

    @Test("an operator's change is complete when all rows that the old hours held are in the store")
    func changedWhole() throws {
        var (script, _) = Self.script()
        var settings = script.machine.settings
        settings.maxOutcomesPerTurn = 2
        script.machine = DeliveryMachine(settings: settings, backlog: [:])
        script.machine.setRules(LaneRules(Self.settings(script)), of: MachineScript.lane, isChange: false)
        script.turn(owned: try (1...3).map { try script.row(device: $0, consumer: $0, ttlSeconds: 86_400) })
        #expect(script.take().isEmpty)
        script.machine.setRules(nil, of: MachineScript.lane, isChange: true)
        for (outcomes, requeues) in [(2, 1), (1, 1), (0, 0)] {
            let plan = script.machine.beginTurn(now: script.now)
            #expect(plan.outcomes.count == outcomes && plan.requeues.count == requeues)
            var turn = WriterTurn(now: script.now, incarnation: IncarnationID(1))
            turn.outcomes = plan.outcomes
            turn.requeues = plan.requeues
            var result = WriterTurnResult()
            result.outcomes = plan.outcomes.map { _ in OutcomeEffect() }
            result.requeued = plan.requeues.map { _ in outcomes }
            _ = script.machine.turnCommitted(result, of: turn, now: script.now)
        }
    }

    @Test("an operator's change applies to rows that were requeued behind older ones of their device")
    func changedBehind() throws {
        var (script, _) = Self.script()
        var settings = script.machine.settings
        settings.maxOutcomesPerTurn = 1
        script.machine = DeliveryMachine(settings: settings, backlog: [:])
        script.machine.setRules(LaneRules(Self.settings(script)), of: MachineScript.lane, isChange: false)
        let rows = try (1...2).map { try script.row(sequence: $0, ttlSeconds: 86_400) }
        script.turn(owned: [rows[0]])
        let plan = script.machine.beginTurn(now: script.now)
        #expect(script.take().isEmpty)
        script.machine.setRules(nil, of: MachineScript.lane, isChange: true)
        script.commit(plan, owned: [rows[1]])
        for (row, requeues) in [(rows[0].id, 1), (rows[1].id, 1), (nil, 0)] as [(DeliveryID?, Int)] {
            let plan = script.machine.beginTurn(now: script.now)
            #expect(plan.outcomes.first?.delivery == row && plan.requeues.count == requeues)
            var turn = WriterTurn(now: script.now, incarnation: IncarnationID(1))
            turn.outcomes = plan.outcomes
            turn.requeues = plan.requeues
            var result = WriterTurnResult()
            result.outcomes = plan.outcomes.map { _ in OutcomeEffect() }
            result.requeued = plan.requeues.map { _ in 0 }
            _ = script.machine.turnCommitted(result, of: turn, now: script.now)
        }
    }
}
