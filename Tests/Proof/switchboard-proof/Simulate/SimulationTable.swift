import DeliverySimulation
import Foundation

/// The result of a campaign in printable form.
struct SimulationTable {
    var summary: SimulationCampaign.Summary
    var duration: Duration

    private var seconds: Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    var text: String {
        let counts = summary.counts
        let rows: [(String, Int)] = [
            ("seeds", counts.seeds), ("steps", counts.steps), ("commits", counts.commits),
            ("commits that failed", counts.failedCommits), ("commits with a poison row", counts.poisonedCommits),
            ("events accepted", counts.accepted), ("replays", counts.replays),
            ("rejected while the store failed", counts.rejections), ("pushes", counts.pushes),
            ("duplicate pushes, each explained", counts.duplicates), ("collapsed", counts.collapsed),
            ("logins", counts.logins), ("anonymous consumers merged", counts.merges),
            ("expired", counts.expired), ("registrations and token moves", counts.registrations),
            ("reads", counts.reads), ("logouts", counts.logouts), ("crashes", counts.crashes),
            ("orderly restarts", counts.drains), ("clock jumps", counts.clockJumps),
            ("messaging windows", counts.windows), ("deliveries held for a window", counts.held),
            ("released", counts.released), ("acknowledged", counts.suppressed),
            ("without a sound", counts.quieted), ("summaries", counts.summaries),
            ("taps", counts.taps), ("receipts", counts.receipts), ("retried by an operator", counts.retries),
            ("ended by housekeeping", counts.tidied), ("changes of presence settings", counts.presenceChanges),
            ("periods with a doubtful clock", counts.doubts),
            ("consumers erased", counts.erasures), ("stale registrations ended", counts.stale),
            ("apps deleted", counts.deletedApps), ("brands deleted", counts.deletedBrands),
            ("apps created again", counts.newApps), ("pushes on their lanes", counts.newPushes),
            ("batches after erasures and deletions", counts.batches),
            ("registrations ended by them", counts.endedBeside),
            ("violations", summary.failure == nil ? 0 : 1),
        ]
        var lines = rows.map { name, count in name.padding(toLength: 40, withPad: " ", startingAt: 0) + "\(count)" }
        lines.append("seconds".padding(toLength: 40, withPad: " ", startingAt: 0) + String(format: "%.1f", seconds))
        if let failure = summary.failure, let violation = failure.violation {
            lines.append("seed \(failure.seed) violates \(violation)")
        }
        return lines.joined(separator: "\n")
    }

    private struct Result: Encodable {
        var counts: SimulationCounts
        var seconds: Double
        var violations: Int
        var seed: UInt64?
        var invariant: String?
        var detail: String?
    }

    func json() throws -> String {
        let violation = summary.failure?.violation
        let result = Result(
            counts: summary.counts,
            seconds: seconds,
            violations: violation == nil ? 0 : 1,
            seed: summary.failure?.seed.rawValue,
            invariant: violation?.invariant.rawValue,
            detail: violation?.detail
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(result), as: UTF8.self)
    }
}
