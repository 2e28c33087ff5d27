import Delivery
import GatewayModel
import GatewayStorage
import Testing

@Suite("Delivery objectives")
struct ObjectiveTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)
    private static let objective = DeliveryObjective(percent: 90, withinSeconds: 10)

    // MARK: Counts

    @Test("pushes leave the fast window after five minutes and the slow one after an hour")
    func windows() {
        var counts = ObjectiveCounts()
        #expect(counts.status(now: Self.start) == ObjectiveStatus())
        // The start of a minute.
        let first = Timestamp(milliseconds: Self.start.milliseconds / 60_000 * 60_000)
        for _ in 1...3 { counts.add(isInTime: true, now: first) }
        counts.add(isInTime: false, now: first.adding(seconds: 59))
        let all = ObjectiveStatus.Sum(inTime: 3, late: 1)
        #expect(counts.status(now: first.adding(seconds: 299)) == ObjectiveStatus(fast: all, slow: all))
        #expect(counts.status(now: first.adding(seconds: 300)) == ObjectiveStatus(slow: all))
        #expect(counts.status(now: first.adding(seconds: 3599)) == ObjectiveStatus(slow: all))
        #expect(counts.status(now: first.adding(seconds: 3600)) == ObjectiveStatus())
        // The place of that minute is used again.
        counts.add(isInTime: true, now: first.adding(seconds: 3600))
        let one = ObjectiveStatus.Sum(inTime: 1)
        #expect(counts.status(now: first.adding(seconds: 3600)) == ObjectiveStatus(fast: one, slow: one))
        // After the clock was set back, what is ahead does not count.
        #expect(counts.status(now: first) == ObjectiveStatus())
    }

    @Test(
        "an objective is burning when enough pushes are late, now and over the hour",
        arguments: [
            // 10 % may be late: 20 % in the fast window, 10 % in the slow one.
            ((8, 2), (40, 5), true), ((81, 19), (40, 5), false), ((8, 2), (46, 5), false), ((8, 2), (45, 5), true),
            ((0, 4), (0, 4), false), ((0, 5), (0, 5), true), ((0, 0), (0, 50), false), ((0, 0), (0, 0), false),
        ] as [((Int64, Int64), (Int64, Int64), Bool)]
    )
    func burning(fast: (Int64, Int64), slow: (Int64, Int64), isBurning: Bool) {
        let status = ObjectiveStatus(
            fast: .init(inTime: fast.0, late: fast.1),
            slow: .init(inTime: slow.0, late: slow.1)
        )
        #expect(status.isBurning(Self.objective) == isBurning)
    }

    @Test("the burn rate is the late share divided by the allowed one, and unknown without a push")
    func burnRate() {
        #expect(ObjectiveStatus.Sum(inTime: 90, late: 10).burnRate(Self.objective) == 1)
        #expect(ObjectiveStatus.Sum(inTime: 0, late: 3).burnRate(Self.objective) == 10)
        #expect(ObjectiveStatus.Sum(inTime: 7, late: 0).burnRate(Self.objective) == 0)
        #expect(ObjectiveStatus.Sum().burnRate(Self.objective) == nil)
    }

    // MARK: The state machine

    private static func settings(withinSeconds: Int64? = 10) -> BrandSettings {
        var settings = BrandSettings()
        settings.objective = withinSeconds.map { DeliveryObjective(percent: 90, withinSeconds: $0) }
        return settings
    }

    private static func script(_ settings: BrandSettings = ObjectiveTests.settings()) -> MachineScript {
        var script = MachineScript()
        script.machine.setRules(LaneRules(settings), of: MachineScript.lane, isChange: false)
        return script
    }

    private static func counted(_ script: MachineScript) -> ObjectiveStatus.Sum {
        script.machine.objectiveStatus(of: MachineScript.lane, now: script.now).slow
    }

    @Test(
        "an accepted push is in time up to its last millisecond",
        arguments: [(9_997, 1, 0), (9_998, 0, 1)] as [(Int64, Int64, Int64)]
    )
    func accepted(milliseconds: Int64, inTime: Int64, late: Int64) throws {
        var script = Self.script()
        let row = try script.row()
        script.turn(owned: [row])
        #expect(script.take().count == 1)
        #expect(Self.counted(script) == .init())
        // The response takes 3 ms.
        script.now = script.now.adding(milliseconds: milliseconds)
        script.respond(row.id, .accepted(providerID: nil))
        #expect(Self.counted(script) == .init(inTime: inTime, late: late))
    }

    @Test(
        "a push that its provider rejects is late; one whose device is gone does not count",
        arguments: [
            (.rejected(token: .keep), 1), (.rejected(token: .quarantine), 0), (.unregistered(since: nil), 0),
        ] as [(PushOutcome, Int64)]
    )
    func failed(outcome: PushOutcome, late: Int64) throws {
        var script = Self.script()
        let row = try script.row()
        script.turn(owned: [row])
        _ = script.take()
        script.respond(row.id, outcome, status: 400)
        #expect(Self.counted(script) == .init(late: late))
    }

    @Test("a push that is tried again counts once, with the time since the event")
    func retried() throws {
        var script = Self.script()
        var row = try script.row()
        script.turn(owned: [row])
        _ = script.take()
        script.respond(row.id, .retry(afterSeconds: nil, scope: .device), status: 503)
        #expect(Self.counted(script) == .init())
        script.turn()
        script.now = script.now.adding(seconds: 11)
        row.attempts = 1
        let claim = script.machine.beginTurn(now: script.now)
        script.commit(claim, claims: [ClaimResult(lane: MachineScript.lane, rows: [row], nextDue: nil)])
        #expect(script.take().count == 1)
        script.respond(row.id, .accepted(providerID: nil))
        #expect(Self.counted(script) == .init(late: 1))
    }

    @Test("a push that expires is late, whether it was sent or not")
    func expired() throws {
        var script = Self.script()
        let rows = try [1, 2].map { try script.row(device: $0, ttlSeconds: 4) }
        script.turn(owned: rows)
        let jobs = script.take(1)
        let first = try #require(jobs.first)
        // A retry could only come too late.
        script.respond(first.delivery, .retry(afterSeconds: nil, scope: .device), status: 503)
        #expect(Self.counted(script) == .init(late: 1))
        script.now = script.now.adding(seconds: 4)
        #expect(script.take().isEmpty)
        #expect(Self.counted(script) == .init(late: 2))
    }

    @Test("nothing counts that was held back on purpose, is a badge, or belongs to a brand without an objective")
    func others() throws {
        var script = Self.script()
        var held = try script.row(device: 1)
        held.isTimed = false
        var badge = try script.row(device: 2)
        badge.message = nil
        badge.queue = .badge
        var proactive = try script.row(device: 3)
        proactive.queue = .proactive(campaign: nil)
        let other = try script.row(device: 4, lane: MachineScript.otherLane)
        script.turn(owned: [held, badge, proactive, other])
        let jobs = script.take() + script.take(lane: MachineScript.otherLane)
        #expect(jobs.count == 4)
        for job in jobs { script.respond(job.delivery, .accepted(providerID: nil)) }
        #expect(Self.counted(script) == .init())
        #expect(script.machine.objectiveStatus(of: MachineScript.otherLane, now: script.now) == ObjectiveStatus())
    }

    @Test("a push that was queued in quiet hours does not count, where they hold pushes", arguments: [true, false])
    func quiet(holds: Bool) throws {
        var script = MachineScript()
        let minute = Int(script.now.milliseconds / 60_000 % 1440)
        var settings = Self.settings()
        settings.quietHours = QuietHours(
            from: minute - 10,
            to: minute + 50,
            timeZone: "UTC",
            mode: holds ? .held : .silent
        )
        script.machine.setRules(LaneRules(settings), of: MachineScript.lane, isChange: false)
        let row = try script.row(ttlSeconds: 86_400)
        script.now = script.now.adding(seconds: 3600)
        script.turn(owned: [row])
        #expect(script.take().count == 1)
        script.respond(row.id, .accepted(providerID: nil))
        #expect(Self.counted(script) == .init(late: holds ? 0 : 1))
    }

    @Test("counts begin again when the time of the objective changes, and end with it")
    func changed() throws {
        var script = Self.script()
        let row = try script.row()
        script.turn(owned: [row])
        _ = script.take()
        script.respond(row.id, .accepted(providerID: nil))
        var settings = Self.settings()
        settings.objective?.percent = 80
        script.machine.setRules(LaneRules(settings), of: MachineScript.lane, isChange: true)
        #expect(Self.counted(script) == .init(inTime: 1))
        script.machine.setRules(
            LaneRules(Self.settings(withinSeconds: 20)),
            of: MachineScript.lane,
            isChange: true
        )
        #expect(Self.counted(script) == .init())
        script.machine.setRules(LaneRules(Self.settings(withinSeconds: nil)), of: MachineScript.lane, isChange: true)
        #expect(Self.counted(script) == .init())
    }
}
