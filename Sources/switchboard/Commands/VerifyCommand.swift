import ArgumentParser
import Gateway
import GatewayClient
import GatewayStorage

/// Checks a backup without changing it.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a backup in full, and count what is in it.",
        discussion: """
            Opens the file read-only, checks every page and every index, checks that this version can use its schema, \
            and counts its rows by kind. Of a directory that backup --to wrote the newest backup is checked. A file \
            that is truncated, damaged or of another program ends with exit status 3, one of a newer version with 5. \
            The master key is not checked: restore and check do that.

            EXAMPLES
              switchboard verify /backups/switchboard.sqlite
              switchboard verify /backups --json
            """
    )
    @Argument(help: "The backup, or a directory of backups.") var file: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let start = ContinuousClock.now
        let (checked, report) = try DataDirectory.verify(file)
        let seconds = Double(Int64(start.duration(to: .now) / .milliseconds(1))) / 1000
        if json {
            let counts = report.rows.map { ($0.kind, JSONValue.integer(Int64($0.count))) }
            let members: [String: JSONValue] = [
                "file": .string(checked), "seconds": .number(seconds),
                "bytes": .integer(Int64(report.bytes)), "pages": .integer(Int64(report.pages)),
                "newestMigration": .string(report.newestMigration),
                "pendingMigrations": .array(report.pendingMigrations.map(JSONValue.string)),
                "rows": .object(Dictionary(uniqueKeysWithValues: counts)),
            ]
            StandardOutput.write(JSONValue.object(members).text)
            return
        }
        StandardOutput.write("\(checked): intact, \(report.bytes) bytes, checked in \(seconds) s")
        let pending = report.pendingMigrations.count
        StandardOutput.write(
            "schema \(report.newestMigration)" + (pending > 0 ? ", this version migrates it (\(pending) to apply)" : "")
        )
        let items = report.rows.map { row -> JSONValue in
            ["kind": .string(row.kind), "rows": .integer(Int64(row.count))]
        }
        StandardOutput.write(TextTable(items, columns: [("KIND", "kind"), ("ROWS", "rows")]).text)
    }
}
