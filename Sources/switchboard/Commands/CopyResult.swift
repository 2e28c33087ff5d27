import GatewayClient
import GatewayStorage

/// The result of a backup or restore, printed as text or JSON.
struct CopyResult {
    /// The file that was created.
    let file: String
    /// The content of the file.
    let report: BackupReport
    /// The duration.
    let seconds: Duration
    /// The file in which the replaced master key is kept; nil when the key stayed.
    var keyKeptAside: String?

    /// Prints the result on standard output, with `json` as one JSON object.
    func print(json: Bool) {
        let milliseconds = Int64(seconds / .milliseconds(1))
        let time = Double(milliseconds) / 1000
        if json {
            var members: [String: JSONValue] = [
                "file": .string(file), "bytes": .integer(Int64(report.bytes)), "pages": .integer(Int64(report.pages)),
                "seconds": .number(time), "pendingDeliveries": .integer(Int64(report.pendingDeliveries)),
                "newestMigration": .string(report.newestMigration),
            ]
            if let kept = report.keptAside { members["keptAside"] = .string(kept) }
            if !report.removed.isEmpty { members["removed"] = .array(report.removed.map(JSONValue.string)) }
            if let kept = keyKeptAside { members["masterKeyKeptAside"] = .string(kept) }
            StandardOutput.write(JSONValue.object(members).text)
            return
        }
        StandardOutput.write(
            "\(file): \(report.bytes) bytes in \(time) s, \(report.pendingDeliveries) deliveries pending, "
                + "schema \(report.newestMigration)"
        )
        for old in report.removed { StandardOutput.write("removed \(old)") }
        if let kept = report.keptAside { StandardOutput.write("the previous database is kept as \(kept)") }
    }
}
