import Delivery
import GatewayModel
import GatewayStorage

/// Quiet hours as the simulation knows them: by the minute of the day, in UTC.
extension Simulation {
    /// Lets an operator change the rules of the brand for its lanes.
    mutating func changeRules() throws(Violation) {
        let (old, wasRequeuing) = (rules.quietHours, writer.delivery.isRequeuing)
        rules = rules == plan.rules[0] ? plan.rules[1] : plan.rules[0]
        setRules(isChange: true)
        if looks(at: .quietEnds) {
            let hasLanes = flights.indices.contains { !isGone($0) }
            let mustRequeue = wasRequeuing || old != rules.quietHours && hasLanes
            try expect(.quietEnds, writer.delivery.isRequeuing == mustRequeue) {
                "waiting rows are wrongly checked again or not, after \(old.map { "\($0)" } ?? "none")"
            }
        }
        for lane in flights.indices where !isGone(lane) && random.chance(50) {
            try renewProvider(of: LaneID(Int64(lane) + 1))
        }
        isQuotaRaised.toggle()
        setQuotas()
        trace.note(24) { "quiet hours \(rules.quietHours.map { "\($0)" } ?? "none")" }
    }

    /// Replaces a lane's provider by one with another number.
    private mutating func renewProvider(of lane: LaneID) throws(Violation) {
        let before = writer.delivery.lanes[lane]?.provider ?? 0
        writer.delivery.renewProvider(of: lane)
        try expect(.settingsAreCurrent, writer.delivery.lanes[lane]?.provider != before) {
            "the provider of lane \(lane) has the number of the one before"
        }
    }

    /// Passes the brand's rules for all lanes to the state machine.
    mutating func setRules(isChange: Bool) {
        for lane in flights.indices where !isGone(lane) { setRules(of: lane, isChange: isChange) }
    }

    /// Passes the brand's rules for a lane to the state machine.
    mutating func setRules(of lane: Int, isChange: Bool) {
        var settings = rules
        if sabotage == .hideQuietHours { settings.quietHours = nil }
        if sabotage == .hideThreshold { settings.summaryThreshold = nil }
        if sabotage == .hidePace { settings.campaignRatePerSecond = nil }
        writer.delivery.setRules(LaneRules(settings), of: LaneID(Int64(lane) + 1), isChange: isChange)
    }

    /// Checks that rows held before a start still wait while their quiet hours last, unless the previous process had
    /// some of the device's rows.
    func checkStart(_ before: SimulatedStore) throws(Violation) {
        guard looks(at: .quietEnds), !checker.hasJumped else { return }
        try expect(.quietEnds, !writer.delivery.isRequeuing) { "a start checks waiting rows again" }
        for (key, wait) in before.waiting {
            let others = before.waitKeys(of: key.registration).compactMap { before.waiting[$0] }
            let pending = before.registration(key.registration)?.pending ?? []
            guard let due = wait.due, due > now, others.allSatisfy({ $0.due == due && $0.notBefore < due }),
                pending.allSatisfy({ before.delivery($0).owner == nil })
            else { continue }
            let traits = before.traits(of: key.registration)
            let quiet = checker.quiet(traits, rules.quietHours, now: now)
            guard quiet?.mode == .held, quiet?.until == due else { continue }
            try expect(.quietEnds, store.waiting[key]?.due == due) {
                "rows of registration \(key.registration) waited until \(due.milliseconds), and a start makes them due"
            }
        }
    }

    /// Checks that in quiet hours a push leaves only if they silence pushes, and then without sound.
    mutating func checkQuiet(_ job: PushJob) throws(Violation) {
        let quiet = checker.quiet(checker.traits(of: job.registration), rules.quietHours, now: now)
        let mode = job.message?.silent == false ? quiet?.mode : nil
        try expect(.quietIsKept, mode != .held && job.isQuiet == (mode == .silent)) {
            "delivery \(job.delivery) leaves in quiet hours (\(mode?.rawValue ?? "none")), quietly \(job.isQuiet)"
        }
        if job.isQuiet { counts.quieted += 1 }
    }
}
