import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("A lane without rows")
struct IdleLaneTests {
    private static let many: Int64 = 1000

    /// Returns a state machine with many lanes without rows in memory and without a backlog, whose first turn has
    /// begun.
    private static func script() -> MachineScript {
        var script = MachineScript()
        for lane in 1...many { script.machine.addLane(LaneID(lane)) }
        script.turn()
        return script
    }

    @Test("is skipped by turns, whatever the others do")
    func looks() throws {
        var script = Self.script()
        #expect(script.machine.lanes.busy.isEmpty)
        let row = try script.row()
        script.turn(owned: [row])
        #expect(script.machine.lanes.busy == [MachineScript.lane])
        let plan = script.turn()
        #expect(plan.budgets.ownCount == 1 && plan.budgets.lanes.count == Int(Self.many))
        #expect(script.take().map(\.delivery) == [row.id])
        script.respond(row.id, .accepted(providerID: nil))
        script.turn()
        script.turn()
        #expect(script.machine.lanes.busy.isEmpty && script.machine.isEmpty)
    }

    @Test("takes new rows like a used one, by the current rules of its brand")
    func budget() throws {
        var script = Self.script()
        let used = try #require(script.machine.beginTurn(now: script.now).budgets[LaneID(7)])
        #expect(used == LaneBudget(slots: 8, proactiveSlots: 6, mayHaveBacklog: false, deviceLimit: DeviceLimit(8)))
        var brand = BrandSettings()
        brand.summaryThreshold = 3
        brand.campaignRatePerSecond = 10
        script.machine.setRules(LaneRules(brand), of: LaneID(7), isChange: true)
        let plan = script.machine.beginTurn(now: script.now)
        let budget = try #require(plan.budgets[LaneID(7)])
        #expect(budget.pacesCampaigns && budget.deviceLimit == nil)
        #expect(plan.budgets[LaneID(8)] == used)
        #expect(script.machine.lanes.busy.isEmpty)
    }

    @Test("takes none when it is removed, and some again when it is reset")
    func removed() {
        var script = Self.script()
        script.machine.removeLane(LaneID(7), now: script.now)
        #expect(script.machine.beginTurn(now: script.now).budgets[LaneID(7)] == nil)
        #expect(script.machine.lanes.busy.isEmpty)
        script.machine.resetLane(LaneID(7), now: script.now)
        // A possible backlog in the store is claimed first.
        #expect(Set(script.machine.beginTurn(now: script.now).claims.map(\.lane)) == [LaneID(7)])
    }

    @Test("is busy until its wait is over, and then claims its backlog")
    func waits() throws {
        var script = Self.script()
        let due = script.now.adding(seconds: 60)
        script.turn(unowned: [LaneID(7): due])
        #expect(script.turn().claims.isEmpty)
        #expect(script.machine.lanes.busy == [LaneID(7)])
        #expect(script.machine.nextDeadline(now: script.now) == due)
        script.now = due
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.claims.map(\.lane) == [LaneID(7)])
        script.commit(plan, claims: [ClaimResult(lane: LaneID(7), rows: [], nextDue: nil)])
        script.turn()
        #expect(script.machine.lanes.busy.isEmpty && script.machine.nextDeadline(now: script.now) == nil)
    }

    @Test("whose credential was rejected takes nothing until it may try again")
    func stopped() {
        var script = Self.script()
        script.machine.refuse(LaneID(7), now: script.now)
        #expect(script.turn().budgets[LaneID(7)] == nil)
        script.now = script.now.adding(seconds: script.machine.settings.breakerFirstSeconds)
        #expect(script.turn().budgets[LaneID(7)] != nil)
    }
}
