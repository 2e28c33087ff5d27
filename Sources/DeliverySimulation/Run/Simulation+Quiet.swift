import Delivery
import GatewayModel
import GatewayStorage

/// Quiet hours as the simulation knows them: by the minute of the day, in UTC.
extension Simulation {
    /// An operator changes what the brand asks of its lanes.
    mutating func changeRules() throws(Violation) {
        rules = rules == plan.rules[0] ? plan.rules[1] : plan.rules[0]
        setRules(isChange: true)
        for lane in flights.indices where random.chance(50) { try renewProvider(of: LaneID(Int64(lane) + 1)) }
        isQuotaRaised.toggle()
        setQuotas()
        trace.note(24) { "quiet hours \(rules.quietHours.map { "\($0)" } ?? "none")" }
    }

    /// Gives a lane another provider, which has another number.
    private mutating func renewProvider(of lane: LaneID) throws(Violation) {
        let before = writer.delivery.lanes[lane]?.provider ?? 0
        writer.delivery.renewProvider(of: lane)
        try expect(.settingsAreCurrent, writer.delivery.lanes[lane]?.provider != before) {
            "the provider of lane \(lane) has the number of the one before"
        }
    }

    /// Tells the machine what the brand asks of its lanes.
    mutating func setRules(isChange: Bool) {
        var settings = rules
        if sabotage == .hideQuietHours { settings.quietHours = nil }
        if sabotage == .hideThreshold { settings.summaryThreshold = nil }
        if sabotage == .hidePace { settings.campaignRatePerSecond = nil }
        let rules = LaneRules(settings)
        for lane in flights.indices { writer.delivery.setRules(rules, of: LaneID(Int64(lane) + 1), isChange: isChange) }
    }

    /// A push that was taken leaves only when it may make itself heard, or does not.
    mutating func checkQuiet(_ job: PushJob) throws(Violation) {
        var mode: QuietHours.Mode?
        if let hours = rules.quietHours, job.message?.silent == false {
            let minute = Int(now.milliseconds / 60_000 % 1440)
            let isQuiet =
                hours.from < hours.to
                ? minute >= hours.from && minute < hours.to : minute >= hours.from || minute < hours.to
            if isQuiet { mode = hours.mode }
        }
        try expect(.quietIsKept, mode != .held && job.isQuiet == (mode == .silent)) {
            "delivery \(job.delivery) leaves in quiet hours (\(mode?.rawValue ?? "none")), quietly \(job.isQuiet)"
        }
        if job.isQuiet { counts.quieted += 1 }
    }
}
