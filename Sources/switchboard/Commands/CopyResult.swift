import SQLiteStorage

/// What a backup or a restore made, for people and programs.
struct CopyResult {
    /// The file that was made.
    let file: String
    /// What it holds.
    let report: BackupReport
    /// How long it took.
    let seconds: Duration
    /// Where a master key is kept in whose place another one came.
    var keyKeptAside: String?

    /// Prints it on standard output.
    ///
    /// - Parameter json: Whether as one JSON object.
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
            if let kept = keyKeptAside { members["masterKeyKeptAside"] = .string(kept) }
            StandardOutput.write(JSONValue.object(members).text)
            return
        }
        StandardOutput.write(
            "\(file): \(report.bytes) bytes in \(time) s, \(report.pendingDeliveries) deliveries pending, "
                + "schema \(report.newestMigration)"
        )
        if let kept = report.keptAside { StandardOutput.write("the database that was there is now \(kept)") }
    }
}
