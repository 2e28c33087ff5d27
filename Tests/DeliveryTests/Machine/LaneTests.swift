import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("The slots and the waits of a lane")
struct LaneTests {
    @Test("new rows get the free slots; a due backlog takes them all, in the store's order")
    func slots() throws {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        var script = MachineScript(backlog: [MachineScript.lane: start], slots: 8)
        script.now = start
        let plan = script.machine.beginTurn(now: script.now)
        #expect(
            plan.claims == [ClaimRequest(lane: MachineScript.lane, limit: 8, deviceRows: .limited(to: DeviceLimit(8)))]
        )
        #expect(plan.budgets[MachineScript.lane]?.slots == 0)
        let rows = [try script.row(device: 1), try script.row(device: 2, consumer: 2)]
        script.commit(plan, claims: [ClaimResult(lane: MachineScript.lane, rows: rows, nextDue: nil)])
        #expect(script.take().map(\.delivery) == rows.map(\.id))
        let next = script.machine.beginTurn(now: script.now)
        #expect(next.claims.isEmpty)
        #expect(
            next.budgets[MachineScript.lane] == LaneBudget(slots: 6, mayHaveBacklog: false, deviceLimit: DeviceLimit(8))
        )
        #expect(next.rowsInMemory.isEmpty)
    }

    @Test("a turn names the devices with several rows in memory, including the one in flight")
    func crowdedDevices() throws {
        var script = MachineScript(slots: 100)
        let plan = script.machine.beginTurn(now: script.now)
        let rows = [try script.row(device: 1), try script.row(device: 1), try script.row(device: 2, consumer: 2)]
        script.commit(plan, owned: rows)
        let taken = script.take()
        #expect(taken.count == 2)
        let next = script.machine.beginTurn(now: script.now)
        #expect(next.rowsInMemory == [rows[0].registration: 2])
        script.commit(next)
        for job in taken { script.respond(job.delivery, .accepted(providerID: nil)) }
        #expect(script.machine.beginTurn(now: script.now).rowsInMemory.isEmpty)
    }

    @Test("the oldest push waits since it was queued, one in the store since it is due; proactive ones do not count")
    func waitingSince() throws {
        var script = MachineScript()
        let start = script.now
        #expect(script.machine.waitingSince(now: start).isEmpty)
        script.turn(owned: [try script.row(device: 1)])
        script.now = start.adding(seconds: 60)
        script.turn(owned: [try script.row(device: 2, consumer: 2)])
        #expect(script.machine.waitingSince(now: script.now) == [MachineScript.lane: start])
        #expect(script.take(1).map(\.token) == ["token-1"])
        #expect(script.machine.waitingSince(now: script.now) == [MachineScript.lane: script.now])
        // A lane that cannot send still has a push that waits; one that is not due yet does not wait.
        script.turn(unowned: [MachineScript.otherLane: script.now.adding(seconds: 5)])
        #expect(script.machine.waitingSince(now: script.now)[MachineScript.otherLane] == nil)
        script.now = script.now.adding(seconds: 20)
        script.machine.refuse(MachineScript.otherLane, now: script.now)
        let due = script.now.adding(seconds: -15)
        #expect(script.machine.waitingSince(now: script.now)[MachineScript.otherLane] == due)
        script.machine.removeLane(MachineScript.otherLane, now: script.now)
        #expect(script.machine.waitingSince(now: script.now)[MachineScript.otherLane] == nil)
        let campaign = [LaneQueue(MachineScript.lane, .proactive(campaign: 1)): start]
        let machine = DeliveryMachine(settings: DeliverySettings(), backlog: campaign)
        #expect(machine.waitingSince(now: script.now).isEmpty)
    }

    @Test("when the process holds all its rows, a lane takes only a few more, and none waits forever")
    func wholeProcess() throws {
        var settings = DeliverySettings()
        settings.slots = 3
        settings.leastSlotsPerLane = 2
        var script = MachineScript(slots: 100)
        script.machine = DeliveryMachine(settings: settings, backlog: [:])
        script.turn(owned: try (1...3).map { try script.row(device: $0, consumer: $0) })
        script.machine.addLane(MachineScript.otherLane)
        let budgets = script.machine.beginTurn(now: script.now).budgets
        #expect(budgets[MachineScript.lane]?.slots == 0)
        #expect(budgets[MachineScript.otherLane]?.slots == 2)
        // Its backlog is a reason to wake up only while it has room.
        script.turn(unowned: [MachineScript.lane: script.now])
        #expect(script.machine.beginTurn(now: script.now).claims.isEmpty)
        let waitsForResponses = script.machine.nextDeadline(now: script.now).map { $0 > script.now } ?? true
        #expect(waitsForResponses)
        for job in script.take() { script.respond(job.delivery, .accepted(providerID: nil)) }
        let next = script.machine.beginTurn(now: script.now)
        #expect(next.claims.map(\.lane) == [MachineScript.lane])
    }

    @Test("outcomes that do not fit into the next turn reduce the slots for new rows")
    func outcomesHoldBack() throws {
        var settings = DeliverySettings()
        settings.slotsPerLane = 10
        settings.maxOutcomesPerTurn = 2
        var script = MachineScript()
        script.machine = DeliveryMachine(settings: settings, backlog: [:])
        script.turn(owned: try (1...8).map { try script.row(device: $0, consumer: $0) })
        for job in script.take() { script.respond(job.delivery, .accepted(providerID: nil)) }
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.outcomes.count == 2)
        #expect(plan.budgets[MachineScript.lane]?.slots == 4)
    }

    @Test("a lane whose brand wants summaries has no limit for each device")
    func summariesAreWhole() {
        var script = MachineScript(slots: 100)
        script.machine.addLane(MachineScript.lane)
        var brand = BrandSettings()
        brand.summaryThreshold = 5
        script.machine.setRules(LaneRules(brand), of: MachineScript.lane, isChange: false)
        script.machine.addLane(MachineScript.otherLane)
        let budgets = script.machine.beginTurn(now: script.now).budgets
        #expect(budgets[MachineScript.lane] == LaneBudget(slots: 100, proactiveSlots: 75, mayHaveBacklog: false))
        #expect(budgets[MachineScript.otherLane]?.deviceLimit == DeviceLimit(8))
    }

    @Test("rows that became unowned while a claim was committed are not forgotten")
    func backlogDuringClaim() throws {
        var script = MachineScript(backlog: [MachineScript.lane: Timestamp(milliseconds: 0)]
        )
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.claims.count == 1)
        let later = script.now.adding(seconds: 60)
        script.commit(
            plan,
            unowned: [MachineScript.lane: later],
            claims: [ClaimResult(lane: MachineScript.lane, rows: [], nextDue: nil)]
        )
        #expect(script.machine.nextDeadline(now: script.now) == later)
    }

    @Test("a rejected credential stops the lane, and one push is the probe")
    func breaker() throws {
        var script = MachineScript()
        let rows = [
            try script.row(device: 1), try script.row(device: 2, consumer: 2), try script.row(device: 3, consumer: 3),
        ]
        script.turn(owned: rows)
        #expect(script.take(1).count == 1)
        script.respond(rows[0].id, .misconfigured, status: 403)
        #expect(script.take().isEmpty)
        let blocked = script.machine.beginTurn(now: script.now)
        #expect(blocked.budgets[MachineScript.lane] == nil)
        script.commit(blocked)
        let deadline = try #require(script.machine.nextDeadline(now: script.now))
        #expect(deadline == script.now.adding(seconds: 30))
        script.now = deadline
        #expect(script.take().map(\.delivery) == [rows[1].id])
        #expect(script.take().isEmpty)
        script.respond(rows[1].id, .accepted(providerID: nil))
        #expect(script.take().map(\.delivery) == [rows[2].id])
        #expect(script.machine.lanes[MachineScript.lane]?.breaker == .closed)
    }

    @Test("each further rejection doubles the wait")
    func breakerBacksOff() throws {
        var script = MachineScript()
        var waits: [Int64] = []
        for device in 1...7 {
            let row = try script.row(device: Int64(device), consumer: Int64(device), ttlSeconds: 1_000_000)
            script.turn(owned: [row])
            #expect(script.take().count == 1)
            script.respond(row.id, .misconfigured, status: 403)
            guard case .open(let until) = script.machine.lanes[MachineScript.lane]?.breaker else {
                Issue.record("the breaker is not open")
                return
            }
            waits.append((until.milliseconds - script.now.milliseconds) / 1000)
            script.now = until
            script.turn()
        }
        #expect(waits == [30, 60, 120, 240, 480, 900, 900])
    }

    @Test("a fault of the whole lane pauses it; a fault of one device does not")
    func pause() throws {
        var script = MachineScript()
        let rows = [
            try script.row(device: 1), try script.row(device: 2, consumer: 2), try script.row(device: 3, consumer: 3),
        ]
        script.turn(owned: rows)
        _ = script.take(1)
        script.respond(rows[0].id, .retry(afterSeconds: 60, scope: .device), status: 429)
        #expect(script.take(1).map(\.delivery) == [rows[1].id])
        script.respond(rows[1].id, .retry(afterSeconds: 60, scope: .lane), status: 429)
        #expect(script.take().isEmpty)
        script.now = script.now.adding(seconds: 73)
        #expect(script.take().map(\.delivery) == [rows[2].id])
    }

    @Test(
        "a push that failed often does not stop its lane, and one push probes an overloaded provider"
    )
    func ownWaits() throws {
        var script = MachineScript(slots: 12, retryDelays: [5, 900])
        let rows = try (1...12).map {
            try script.row(device: Int64($0), consumer: Int64($0), attempts: $0 == 1 ? 4 : 0)
        }
        script.turn(owned: rows)
        #expect(script.take(1).count == 1)
        script.respond(rows[0].id, .retry(afterSeconds: nil, scope: .laneIfSeveral), status: 503)
        #expect(script.take(9).count == 9)
        for row in rows[1...9] {
            #expect(script.machine.hasWork(MachineScript.lane, now: script.now))
            script.respond(row.id, .retry(afterSeconds: nil, scope: .laneIfSeveral), status: 503)
        }
        // Ten in a row: the lane's own second, and then one push at a time.
        #expect(script.take().isEmpty)
        #expect(script.machine.nextDeadline(now: script.now) == script.now.adding(seconds: 1))
        script.now = script.now.adding(seconds: 1)
        #expect(script.take().map(\.delivery) == [rows[10].id])
        #expect(script.take().isEmpty)
        script.respond(rows[10].id, .accepted(providerID: nil))
        #expect(script.take().map(\.delivery) == [rows[11].id])
    }

    @Test("a push that was not sent counts as no attempt and is requeued")
    func notSent() throws {
        var script = MachineScript()
        let row = try script.row()
        script.turn(owned: [row])
        #expect(script.take().count == 1)
        script.respond(row.id, .notSent, status: 0)
        let record = try #require(script.turn().outcomes.first)
        #expect(record.response == nil && record.disposition == .release(due: script.now, isAsked: true))
    }

    @Test("a provider that was replaced takes nothing more, and its results do not count for a new credential")
    func replaced() throws {
        var script = MachineScript()
        let rows = try (1...3).map { try script.row(device: Int64($0), consumer: Int64($0)) }
        script.turn(owned: rows)
        #expect(script.take(1).count == 1)
        script.machine.resetLane(MachineScript.lane, now: script.now)
        var jobs: [PushJob] = []
        script.machine.take(MachineScript.lane, provider: 0, capacity: 3, now: script.now, into: &jobs)
        #expect(jobs.isEmpty)
        #expect(script.take(1).map(\.delivery) == [rows[1].id])
        // The old credential was rejected, and the new one is tried.
        script.respond(rows[0].id, .misconfigured, status: 403)
        #expect(script.take(1).map(\.delivery) == [rows[2].id])
        // Other content, but the same credential: its results count.
        script.machine.renewProvider(of: MachineScript.lane)
        script.respond(rows[1].id, .retry(afterSeconds: 20, scope: .lane), status: 503)
        script.machine.renewProvider(of: MachineScript.lane)
        #expect(script.machine.nextDeadline(now: script.now) == script.now.adding(seconds: 20))
    }

    @Test("one lane's faults do not affect another")
    func otherLane() throws {
        var script = MachineScript()
        let here = try script.row(device: 1)
        let there = try script.row(device: 2, consumer: 2, lane: MachineScript.otherLane)
        script.turn(owned: [here, there])
        _ = script.take()
        script.respond(here.id, .misconfigured, status: 403)
        #expect(script.take(lane: MachineScript.otherLane).map(\.delivery) == [there.id])
    }

    @Test("retry delays follow the setting, then repeat the last; an attempt that comes too late expires at once")
    func retryDelays() throws {
        var script = MachineScript(retryDelays: [5, 30])
        for (attempts, seconds) in [(0, 5), (1, 30), (2, 30), (9, 30)] {
            let row = try script.row(device: Int64(attempts + 1), attempts: attempts)
            script.turn(owned: [row])
            _ = script.take()
            script.respond(row.id, .unknown, status: 0)
            guard case .retry(let due) = script.turn().outcomes.last?.disposition else {
                Issue.record("no retry after \(attempts) attempts")
                continue
            }
            let delay = due.milliseconds - script.now.milliseconds
            #expect(delay >= Int64(seconds) * 1000 && delay <= Int64(seconds) * 1200)
        }
        let dying = try script.row(device: 50, ttlSeconds: 3)
        script.turn(owned: [dying])
        _ = script.take()
        script.respond(dying.id, .unknown, status: 0)
        #expect(script.turn().outcomes.last?.disposition == .finished(.expired, nil))
    }

    @Test("a push that the provider provably did not process is resent at once, but not forever")
    func resendsAtOnce() throws {
        var script = MachineScript(retryDelays: [5, 30])
        // A healthy provider must not delay a push for a quarter of an hour: the first delay, however often.
        for (attempts, seconds) in [(0, 0), (4, 0), (5, 5), (9, 5)] {
            let row = try script.row(device: Int64(attempts + 1), attempts: attempts)
            script.turn(owned: [row])
            _ = script.take()
            script.respond(row.id, .retry(afterSeconds: 0, scope: .device), status: 0)
            guard case .retry(let due) = script.turn().outcomes.last?.disposition else {
                Issue.record("no retry after \(attempts) attempts")
                continue
            }
            let delay = due.milliseconds - script.now.milliseconds
            #expect(delay >= Int64(seconds) * 1000 && delay <= Int64(seconds) * 1200)
        }
    }

    @Test("draining takes nothing more, requeues waiting rows, and still records results")
    func drain() throws {
        var script = MachineScript()
        let sent = try script.row(sequence: 1)
        let behind = try script.row(sequence: 2)
        let waiting = try script.row(device: 2, consumer: 2)
        script.turn(owned: [sent, behind, waiting])
        #expect(script.take(1).map(\.delivery) == [sent.id])
        script.machine.drain(now: script.now)
        #expect(script.take().isEmpty)
        script.respond(sent.id, .accepted(providerID: "x"))
        let outcomes = script.turn().outcomes
        #expect(Set(outcomes.map(\.delivery)) == [sent.id, behind.id, waiting.id])
        #expect(outcomes.first { $0.delivery == sent.id }?.disposition == .finished(.accepted, nil))
        #expect(outcomes.first { $0.delivery == behind.id }?.disposition == .release(due: script.now))
        #expect(script.machine.rowCount == 0)
        #expect(script.machine.inFlightCount == 0)
    }

    @Test("outcomes of a failed commit are stored by a later one, in order")
    func failedCommit() throws {
        var script = MachineScript()
        let rows = [try script.row(device: 1), try script.row(device: 2, consumer: 2)]
        script.turn(owned: rows)
        _ = script.take()
        script.respond(rows[0].id, .accepted(providerID: nil))
        let plan = script.machine.beginTurn(now: script.now)
        script.respond(rows[1].id, .accepted(providerID: nil))
        script.machine.turnFailed(plan.outcomes)
        #expect(script.turn().outcomes.map(\.delivery) == rows.map(\.id))
    }

    @Test("a dead lane's memory is bounded however often messages come and are read")
    func deadLane() throws {
        var script = MachineScript()
        for sequence in 1...1000 {
            let row = try script.row(sequence: Int64(sequence))
            script.turn(owned: [row])
            script.turn(withdrawn: [row])
        }
        #expect(script.machine.rowCount == 0)
        #expect(!script.machine.hasWork(MachineScript.lane, now: script.now))
    }

    @Test("a lane that loses its credential requeues its rows, and claims them again when it has one")
    func credentialTakenAway() throws {
        var script = MachineScript()
        let sent = try script.row(device: 1)
        let behind = try script.row(device: 1, sequence: 2)
        let waiting = try script.row(device: 2, consumer: 2)
        script.turn(owned: [sent, behind, waiting])
        #expect(script.take(1).map(\.delivery) == [sent.id])
        script.machine.removeLane(MachineScript.lane, now: script.now)
        #expect(script.take().isEmpty)
        script.respond(sent.id, .accepted(providerID: nil))
        let outcomes = script.turn().outcomes
        #expect(Set(outcomes.map(\.delivery)) == [sent.id, behind.id, waiting.id])
        #expect(script.machine.rowCount == 0)
        #expect(script.machine.beginTurn(now: script.now).claims.isEmpty)
        #expect(script.machine.nextDeadline(now: script.now) == nil)
        script.machine.resetLane(MachineScript.lane, now: script.now)
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.claims.map(\.lane) == [MachineScript.lane])
        script.commit(plan, claims: [ClaimResult(lane: MachineScript.lane, rows: [behind, waiting], nextDue: nil)])
        #expect(script.take().map(\.delivery) == [behind.id, waiting.id])
    }

    @Test("a lane that is removed before its first row comes sends nothing until it is reset")
    func removedBeforeItsFirstRow() throws {
        var script = MachineScript()
        let plan = script.machine.beginTurn(now: script.now)
        script.machine.removeLane(MachineScript.lane, now: script.now)
        let row = try script.row()
        script.commit(plan, owned: [row])
        #expect(script.machine.rowCount == 0)
        #expect(script.take().isEmpty)
        #expect(script.turn().outcomes.map(\.delivery) == [row.id])
        #expect(script.machine.beginTurn(now: script.now).budgets[MachineScript.lane] == nil)
        #expect(script.machine.nextDeadline(now: script.now) == nil)
        script.machine.resetLane(MachineScript.lane, now: script.now)
        #expect(script.machine.beginTurn(now: script.now).claims.map(\.lane) == [MachineScript.lane])
    }

    @Test("a turn's claims are bounded and rotate among the lanes")
    func claimsGoRound() throws {
        let due = Timestamp(milliseconds: 0)
        let lanes = (1...40).map { LaneID(Int64($0)) }
        var settings = DeliverySettings()
        settings.maxClaimsPerTurn = 640
        var machine = DeliveryMachine(
            settings: settings,
            backlog: MachineScript.agents(Dictionary(uniqueKeysWithValues: lanes.map { ($0, due) }))
        )
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        var served: [LaneID: Int] = [:]
        for _ in 0..<8 {
            let plan = machine.beginTurn(now: now)
            #expect(plan.claims.reduce(0) { $0 + $1.limit } == 640)
            for claim in plan.claims { served[claim.lane, default: 0] += claim.limit }
            var result = WriterTurnResult()
            result.claims = plan.claims.map { ClaimResult(lane: $0.lane, rows: [], nextDue: due) }
            _ = machine.turnCommitted(result, of: WriterTurn(now: now, incarnation: IncarnationID(1)), now: now)
            #expect(machine.nextDeadline(now: now) == due)
        }
        #expect(served.count == 40)
        #expect(Set(served.values) == [128])
    }
}
