import Delivery
import GatewayModel
import GatewayStorage
import Testing

@Suite("Agents' messages leave before badges, and these before proactive messages")
struct PushClassTests {
    /// Returns a row of a class; campaigns are numbered from 1.
    private static func row(
        _ script: inout MachineScript,
        device: Int64,
        campaign: Int64? = nil,
        isProactive: Bool = true
    ) throws -> OutboxRow {
        var row = try script.row(device: device, consumer: device)
        if isProactive { row.queue = .proactive(campaign: campaign) }
        return row
    }

    @Test("on a lane, and for a device unless one is in flight")
    func order() throws {
        var script = MachineScript(slots: 100)
        var rows: [OutboxRow] = []
        for device: Int64 in 1...3 { rows.append(try Self.row(&script, device: device)) }
        var badge = try Self.row(&script, device: 4)
        badge.queue = .badge
        let agents = [
            try Self.row(&script, device: 2, isProactive: false), try Self.row(&script, device: 5, isProactive: false),
        ]
        script.turn(owned: [rows[0]])
        #expect(script.take().map(\.delivery) == [rows[0].id])
        let late = try Self.row(&script, device: 1, isProactive: false)
        script.turn(owned: [rows[1], rows[2], badge] + agents + [late])
        #expect(script.take(3).map(\.delivery) == [agents[0].id, agents[1].id, badge.id])
        script.respond(agents[0].id, .accepted(providerID: nil))
        script.respond(rows[0].id, .accepted(providerID: nil))
        #expect(script.take().map(\.delivery) == [late.id, rows[2].id, rows[1].id])
    }

    @Test("a quarter of a lane's slots is reserved for other pushes than campaigns'")
    func slots() throws {
        var script = MachineScript(slots: 8)
        script.machine.addLane(MachineScript.lane)
        #expect(script.machine.beginTurn(now: script.now).budgets[MachineScript.lane]?.proactiveSlots == 6)
        script.turn(owned: try (1...6).map { try Self.row(&script, device: $0) })
        let budget = try #require(script.machine.beginTurn(now: script.now).budgets[MachineScript.lane])
        #expect(budget.slots == 2 && budget.proactiveSlots == 0)
        #expect(budget.admits(.agent) && budget.admits(.badge) && !budget.admits(.proactive(campaign: 1)))
    }

    @Test("a due backlog of a campaign closes its class, but agents' messages still find slots")
    func backlog() throws {
        var script = MachineScript(slots: 8)
        let campaign = LaneQueue(MachineScript.lane, .proactive(campaign: 1))
        script.machine = DeliveryMachine(settings: script.machine.settings, backlog: [campaign: script.now])
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.claims.map(\.queue) == [campaign.queue] && plan.claims.map(\.limit) == [6])
        let budget = try #require(plan.budgets[MachineScript.lane])
        #expect(budget.slots == 2 && budget.closed == [.proactive] && budget.mayHaveBacklog && budget.admits(.agent))
    }

    @Test("claims of a turn go to agents' messages first")
    func claims() throws {
        var settings = DeliverySettings()
        settings.maxClaimsPerTurn = 100
        let due = Timestamp(milliseconds: 0)
        let queues: [OutboxQueue] = [.proactive(campaign: 1), .badge, .agent]
        let backlog = queues.map { (LaneQueue(MachineScript.lane, $0), due) }
        var machine = DeliveryMachine(settings: settings, backlog: Dictionary(uniqueKeysWithValues: backlog))
        let plan = machine.beginTurn(now: Timestamp(milliseconds: 1_700_000_000_000))
        #expect(plan.claims.map(\.queue) == [.agent] && plan.claims.map(\.limit) == [100])
    }

    @Test("a campaign's pushes leave at its pace, for all lanes of its brand; other campaigns have their own")
    func pace() throws {
        var brand = BrandSettings()
        brand.campaignRatePerSecond = 50
        let queues: [OutboxQueue] = [.proactive(campaign: 1), .proactive(campaign: 2)]
        let places = [MachineScript.lane, MachineScript.otherLane].flatMap { lane in queues.map { LaneQueue(lane, $0) }
        }
        var now = Timestamp(milliseconds: 1_700_000_000_000)
        var machine = DeliveryMachine(
            settings: DeliverySettings(),
            backlog: Dictionary(uniqueKeysWithValues: places.map { ($0, now) })
        )
        for lane in [MachineScript.lane, MachineScript.otherLane] {
            machine.setRules(LaneRules(brand), of: lane, isChange: false)
        }
        var script = MachineScript()
        var given: [OutboxQueue: Int] = [:]
        for _ in 0..<100 {
            let plan = machine.beginTurn(now: now)
            #expect(plan.budgets.lanes.compactMap { plan.budgets[$0] }.allSatisfy { !$0.admits(queues[0]) })
            var result = WriterTurnResult()
            for claim in plan.claims {
                let rows = try (0..<claim.limit).map { _ in
                    try Self.row(&script, device: Int64(script.lastRow) + 1, campaign: claim.queue == queues[0] ? 1 : 2)
                }
                given[claim.queue, default: 0] += rows.count
                result.claims.append(ClaimResult(lane: claim.lane, queue: claim.queue, rows: rows, nextDue: now))
            }
            _ = machine.turnCommitted(result, of: WriterTurn(now: now, incarnation: IncarnationID(1)), now: now)
            now = now.adding(milliseconds: 20)
        }
        // Two seconds, and four pushes at the beginning.
        for queue in queues { #expect((95...105).contains(given[queue] ?? 0), "\(given)") }
    }
}
