import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("A lane whose provider reports too many devices as gone is suspended, and loses none")
struct InvalidationTests {
    private static let lane = MachineScript.lane
    private static let settings = InvalidationSettings()

    private func stopped(_ ids: ClosedRange<Int64>, of devices: Int = 1000) -> [LaneID: StoppedDevices] {
        [Self.lane: StoppedDevices(registrations: ids.map { RegistrationID($0) }, devices: devices)]
    }

    private func phase(_ script: MachineScript) -> InvalidationGuard.Phase? {
        script.machine.lanes[Self.lane]?.invalidation.phase
    }

    private func request(_ stoppedBy: Timestamp, limit: Int = 100) -> StoppedDeviceRequest {
        StoppedDeviceRequest(lane: Self.lane, stoppedBy: stoppedBy, limit: limit)
    }

    private func alerts(_ script: inout MachineScript) -> [LaneAlert] { script.machine.takeAlerts().map(\.alert) }

    /// Returns a lane that was suspended just now, with rows of other devices in memory.
    private func suspended(rows: Int = 0) throws -> (MachineScript, [OutboxRow]) {
        var script = MachineScript(slots: 100)
        script.turn(stopped: stopped(1...51))
        #expect(alerts(&script) == [.suspended(gone: 51, of: 1000)])
        let rows = try (0..<Int64(rows)).map { try script.row(device: 1000 + $0, consumer: 1000 + $0) }
        let plan = script.turn(owned: rows)
        #expect(plan.suspensions == [Self.lane: true])
        return (script, rows)
    }

    @Test("few devices that are gone end five minutes later, in batches")
    func few() {
        var script = MachineScript()
        script.turn(stopped: stopped(1...50))
        #expect(phase(script) == .believing && alerts(&script).isEmpty)
        let stoppedAt = script.now
        #expect(script.machine.nextDeadline(now: script.now) == stoppedAt.adding(seconds: 300))
        script.now = stoppedAt.adding(seconds: 299)
        #expect(!script.turn().needsCommit)
        script.now = stoppedAt.adding(seconds: 300)
        let done = StoppedDeviceResult(registrations: [RegistrationID(1)], oldest: stoppedAt.adding(seconds: 2))
        #expect(script.turn(invalidations: [done]).invalidations == [request(stoppedAt)])
        #expect(script.machine.nextDeadline(now: script.now) == stoppedAt.adding(seconds: 302))
        script.now = stoppedAt.adding(seconds: 302)
        let plan = script.turn(invalidations: [StoppedDeviceResult()])
        #expect(plan.invalidations == [request(stoppedAt.adding(seconds: 2))])
        #expect(script.machine.nextDeadline(now: script.now) == nil)
    }

    @Test(
        "more than 50, or more than 5 % of the lane's devices, within five minutes suspend it",
        arguments: [(10, 50, false), (10, 51, true), (1000, 51, true), (2000, 100, false), (2000, 101, true)]
            as [(Int, Int64, Bool)]
    )
    func threshold(devices: Int, gone: Int64, isSuspended: Bool) {
        var script = MachineScript()
        for second in 0..<gone {
            script.now = script.now.adding(seconds: second == gone - 1 ? 1 : 2)
            script.turn(stopped: stopped((second + 1)...(second + 1), of: devices))
        }
        #expect(script.machine.lanes[Self.lane]?.invalidation.isSuspended == isSuspended)
    }

    @Test("devices that were stopped more than five minutes ago do not count")
    func window() {
        var script = MachineScript()
        script.turn(stopped: stopped(1...40))
        script.now = script.now.adding(seconds: 300)
        script.turn(stopped: stopped(41...80), invalidations: [StoppedDeviceResult(oldest: script.now)])
        #expect(phase(script) == .believing)
        script.turn(stopped: stopped(81...91))
        #expect(script.machine.lanes[Self.lane]?.invalidation.isSuspended == true)
    }

    @Test("a suspended lane sends one push at a time after 1, 2 and 5 s, and ends nothing")
    func probes() throws {
        var (script, rows) = try suspended(rows: 6)
        #expect(script.take().isEmpty)
        for (index, seconds) in [Int64(1), 2, 5, 5].enumerated() {
            script.now = script.now.adding(milliseconds: seconds * 1000 - 1)
            #expect(script.take().isEmpty)
            #expect(script.machine.nextDeadline(now: script.now) == script.now.adding(milliseconds: 1))
            script.now = script.now.adding(milliseconds: 1)
            #expect(script.take().map(\.delivery) == [rows[index].id])
            #expect(script.take().isEmpty)
            script.respond(rows[index].id, .unregistered(since: nil), status: 410)
            let id = rows[index].registration.rawValue
            script.turn(stopped: stopped(id...id))
        }
        script.now = script.now.adding(seconds: 400)
        #expect(script.turn().invalidations.isEmpty)
        #expect(alerts(&script).isEmpty)
    }

    @Test("the first push that is accepted ends the suspension, and stopped devices are put back in batches")
    func resumes() throws {
        var (script, rows) = try suspended(rows: 3)
        script.now = script.now.adding(seconds: 1)
        #expect(script.take().count == 1)
        script.respond(rows[0].id, .accepted(providerID: nil))
        let resumed = script.now
        #expect(alerts(&script) == [.resumed])
        #expect(script.take().count == 2)
        var done = StoppedDeviceResult(registrations: (1...100).map { RegistrationID($0) }, oldest: resumed)
        let first = script.turn(putBacks: [done])
        #expect(first.putBacks == [request(resumed)])
        // Rows that waited when it was stopped are older than those that come after its return.
        #expect(first.budgets[Self.lane]?.mayHaveBacklog == true)
        done.registrations = []
        done.oldest = nil
        let plan = script.turn(putBacks: [done])
        #expect(plan.putBacks == [request(resumed)] && plan.suspensions.isEmpty)
        let last = script.turn()
        #expect(last.suspensions == [Self.lane: false] && last.budgets[Self.lane]?.mayHaveBacklog == false)
        #expect(phase(script) == .believing)
        #expect(!script.turn().needsCommit)
    }

    @Test("with nothing else to send, one device after the other is put back for a probe")
    func putsOneBack() throws {
        var (script, _) = try suspended()
        #expect(script.machine.nextDeadline(now: script.now) == script.now.adding(seconds: 1))
        script.now = script.now.adding(seconds: 1)
        let one = StoppedDeviceResult(registrations: [RegistrationID(1)], oldest: script.now)
        #expect(script.turn(putBacks: [one]).putBacks == [request(script.now, limit: 1)])
        // It has nothing to send.
        #expect(!script.turn().needsCommit)
        #expect(script.machine.nextDeadline(now: script.now) == script.now.adding(seconds: 5))
        script.now = script.now.adding(seconds: 5)
        #expect(script.turn(putBacks: [one]).putBacks == [request(script.now, limit: 1)])
        // This one has a row.
        let row = try script.row(device: 2)
        script.turn(claims: [ClaimResult(lane: Self.lane, rows: [row], nextDue: nil)])
        #expect(script.take().map(\.delivery) == [row.id])
        script.respond(row.id, .accepted(providerID: nil))
        #expect(alerts(&script) == [.resumed])
    }

    @Test("a device is not stopped because of a push that left before its provider had recovered")
    func staleResponses() throws {
        var (script, rows) = try suspended(rows: 3)
        script.now = script.now.adding(seconds: 1)
        #expect(script.take().count == 1)
        script.respond(rows[0].id, .accepted(providerID: nil))
        script.turn(putBacks: [StoppedDeviceResult()])
        // The same for a push that left before the lane was suspended.
        var old = MachineScript(slots: 100)
        let early = try old.row(device: 900, consumer: 900)
        old.turn(owned: [early])
        #expect(old.take().count == 1)
        old.turn(stopped: stopped(1...51))
        let probe = try old.row(device: 901, consumer: 901)
        old.turn(owned: [probe])
        old.now = old.now.adding(seconds: 1)
        #expect(old.take().map(\.delivery) == [probe.id])
        old.respond(probe.id, .accepted(providerID: nil))
        old.respond(early.id, .unregistered(since: nil), status: 410)
        let outcome = try #require(old.turn(putBacks: [StoppedDeviceResult()]).outcomes.last)
        #expect(outcome.token == .none)
        guard case .retry = outcome.disposition else {
            Issue.record("\(outcome.disposition)")
            return
        }
        // Results of pushes that leave from now on are believed.
        #expect(script.take().count == 2)
        script.respond(rows[1].id, .unregistered(since: nil), status: 410)
        #expect(script.turn().outcomes.last?.token == .drop(token: rows[1].token, since: nil))
    }

    @Test(
        "nothing leaves for a device that is reported as gone, or whose token is rejected, until that is stored",
        arguments: [PushOutcome.unregistered(since: nil), .rejected(token: .quarantine)]
    )
    func nothingBehind(outcome: PushOutcome) throws {
        var script = MachineScript()
        let rows = [try script.row(sequence: 1), try script.row(sequence: 2)]
        script.turn(owned: rows)
        #expect(script.take().count == 1)
        // A commit is under way that hands out another one.
        let plan = script.machine.beginTurn(now: script.now)
        script.respond(rows[0].id, outcome, status: 410)
        let late = try script.row(sequence: 3)
        script.commit(plan, owned: [late])
        #expect(script.take().isEmpty)
        let written = script.turn()
        #expect(written.outcomes.map(\.delivery) == [rows[0].id, rows[1].id, late.id])
        #expect(script.take().isEmpty)
    }

    @Test("devices that are reported as gone again count only while their provider may be wrong about them")
    func again() throws {
        for isWrong in [false, true] {
            var (script, rows) = try suspended(rows: 60)
            script.now = script.now.adding(seconds: 1)
            #expect(script.take().count == 1)
            script.respond(rows[0].id, .accepted(providerID: nil))
            let back = StoppedDeviceResult(registrations: (1...51).map { RegistrationID($0) })
            script.turn(putBacks: [back])
            #expect(phase(script) == .believing)
            for job in script.take() { script.respond(job.delivery, .accepted(providerID: nil)) }
            if isWrong {
                let row = try script.row(device: 1)
                script.turn(owned: [row])
                #expect(script.take().count == 1)
                script.respond(row.id, .accepted(providerID: nil))
            }
            script.turn()
            script.turn(stopped: stopped(1...51))
            #expect(script.machine.lanes[Self.lane]?.invalidation.isSuspended == isWrong)
        }
    }

    @Test("a start continues where the previous process ended")
    func starts() {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        func machine(_ count: Int, isSuspended: Bool) -> DeliveryMachine {
            var start = IncarnationStart(
                incarnation: IncarnationID(2),
                now: now,
                backlog: [:],
                recovered: 0,
                lastMessage: nil
            )
            let long = StoppedCount(at: now.adding(seconds: -1000), count: count)
            start.stopped = [Self.lane: StoppedAtStart(counts: [long], devices: 100, isSuspended: isSuspended)]
            return DeliveryMachine(settings: DeliverySettings(), start: start)
        }
        var suspended = machine(1, isSuspended: true)
        #expect(suspended.lanes[Self.lane]?.invalidation.phase == .suspended(until: now))
        #expect(suspended.beginTurn(now: now).putBacks == [request(now, limit: 1)])
        // The process ended before it could store the suspension.
        var unsaved = machine(51, isSuspended: false)
        #expect(unsaved.takeAlerts().map(\.alert) == [.suspended(gone: 51, of: 100)])
        #expect(unsaved.beginTurn(now: now).suspensions == [Self.lane: true])
        var believing = machine(50, isSuspended: false)
        #expect(believing.beginTurn(now: now).invalidations == [request(now.adding(seconds: -300))])
        believing = machine(50, isSuspended: false)
        believing.mayExpire = false
        #expect(!believing.beginTurn(now: now).needsCommit)
    }
}
