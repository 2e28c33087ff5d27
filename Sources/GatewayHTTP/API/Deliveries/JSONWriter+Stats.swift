internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

extension JSONWriter {
    /// Appends statistics (SendingMessages page).
    mutating func stats(_ stats: DeliveryStats, window: StatsWindow, now: Timestamp) {
        let all = stats.finished + stats.unfinished
        literal(#"{"since":"#)
        timestamp(window.start(now: now))
        member("until", now)
        member("resolutionSeconds", window.unit)
        literal(#","total":"#)
        integer(all.reduce(0) { $0 + $1.count })
        literal(#","byState":"#)
        counts(all) { $0.state.rawValue }
        literal(#","byProvider":"#)
        counts(all) { $0.provider.rawValue }
        literal(#","byReason":"#)
        counts(all) { $0.reason }
        member("unfinishedComplete", stats.isUnfinishedWhole)
        literal(#","latencyMs":"#)
        latency(stats.allLatency)
        literal(#","latencyMsByProvider":{"#)
        for entry in stats.latency.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            name(entry.key.rawValue)
            latency(entry.value)
        }
        literal("}")
        reports(stats.reports)
        literal("}")
    }

    /// Appends a campaign's statistics.
    mutating func campaign(_ stats: CampaignStats) {
        literal(#"{"campaign":"#)
        string(stats.campaign.rawValue)
        member("messages", stats.messages)
        member("tappedMessages", stats.tappedMessages)
        member("deliveries", stats.deliveries)
        member("unfinished", stats.unfinished)
        literal(#","byState":"#)
        counts(stats.finished) { $0.state.rawValue }
        literal(#","byProvider":"#)
        counts(stats.finished) { $0.provider.rawValue }
        literal(#","byReason":"#)
        counts(stats.finished) { $0.reason }
        reports(stats.reports)
        member("firstAt", stats.firstAt)
        member("lastAt", stats.lastAt)
        literal("}")
    }

    /// Appends the devices' receipts, and the tap rate: of the deliveries of messages that providers accepted.
    private mutating func reports(_ reports: DeliveryReports) {
        literal(#","receipts":{"delivered":"#)
        integer(reports.delivered)
        member("displayed", reports.displayed)
        member("dismissed", reports.dismissed)
        literal(#"},"taps":{"accepted":"#)
        integer(reports.taken)
        member("tapped", reports.tapped)
        literal(#","rate":"#)
        ratio(reports.tapped, of: reports.taken)
        literal(#"},"tapRate":"#)
        ratio(reports.tapped, of: reports.taken)
    }

    private mutating func counts(_ counts: [DeliveryStats.Count], by name: (DeliveryStats.Count) -> String?) {
        var sums: [String: Int64] = [:]
        for count in counts {
            guard let name = name(count) else { continue }
            sums[name, default: 0] += count.count
        }
        literal("{")
        for sum in sums.sorted(by: { $0.key < $1.key }) {
            self.name(sum.key)
            integer(sum.value)
        }
        literal("}")
    }

    private mutating func latency(_ latency: DeliveryStats.Latency) {
        literal(#"{"count":"#)
        integer(latency.count)
        let isKnown = latency.count > 0
        member("p50", orNull: isKnown ? latency.p50 : nil)
        member("p90", orNull: isKnown ? latency.p90 : nil)
        member("p99", orNull: isKnown ? latency.p99 : nil)
        member("p999", orNull: isKnown ? latency.p999 : nil)
        member("max", orNull: isKnown ? latency.max : nil)
        literal("}")
    }

    /// Appends a share from 0 to 1 with four digits, or `null` when the base is 0.
    private mutating func ratio(_ part: Int64, of whole: Int64) {
        guard whole > 0 else { return literal("null") }
        let share = (part * 10_000 + whole / 2) / whole
        integer(share / 10_000)
        literal(".")
        let digits = String(share % 10_000)
        raw(Array((String(repeating: "0", count: 4 - digits.count) + digits).utf8))
    }
}
