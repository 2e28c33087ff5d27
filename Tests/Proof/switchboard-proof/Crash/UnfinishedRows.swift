import Foundation
import GRDB

/// The rows that a stopped gateway has left in its outbox, read from the file before the next start changes it.
///
/// Rows that are here although their push had arrived are those that the gateway may send twice: no more, and no
/// others.
struct UnfinishedRows: Sendable {
    /// One message for one device.
    struct Row: Hashable, Sendable {
        /// The message's id.
        var message: String
        /// The device's id.
        var device: String
    }

    /// The messages without an outcome.
    var rows: Set<Row>

    /// Reads them without changing the data, while no gateway runs: a reader neither checkpoints nor removes the WAL.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        rows = try queue.read { db in
            var rows: Set<Row> = []
            let cursor = try GRDB.Row.fetchCursor(
                db,
                sql: """
                    SELECT m.key, m.low, r.device FROM outbox o JOIN registrations r ON r.id = o.registration \
                    JOIN messages m ON m.key = o.message
                    """
            )
            while let row = try cursor.next() {
                rows.insert(Row(message: Self.id(high: row[0], low: row[1]), device: row[2]))
            }
            return rows
        }
        try queue.close()
    }

    private static func id(high: Int64, low: Int64) -> String {
        var digits = Array(String(format: "%016lx%016lx", UInt64(bitPattern: high), UInt64(bitPattern: low)))
        for position in [20, 16, 12, 8] { digits.insert("-", at: position) }
        return String(digits)
    }
}
