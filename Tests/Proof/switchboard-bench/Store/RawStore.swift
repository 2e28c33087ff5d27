import CSQLite
import GatewayModel
import GatewayStorage
import ProcessHarness

/// The baseline of the engine's accept path: its statements through the C interface, prepared once, with the engine's
/// schema and settings, and nothing else.
final class RawStore {
    private static let sql: [RawTurn.Target: String] = [
        .dedupe: "INSERT OR IGNORE INTO dedupe (day, brand, event, body_hash, message) VALUES (?, ?, ?, ?, ?)",
        .message: """
        INSERT INTO messages (key, low, conversation, sequence, counts, kind, source_sequence, dialog, agent_id, \
        agent_nickname, text, title, data, link_ios, link_android, link_web, priority, collapse_key, category, sound, \
        silent, accepted_at, sent_at, expires_at, look_back_until, campaign, previous) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .position: "INSERT INTO message_positions (conversation, position, message) VALUES (?, ?, ?)",
        .outbox: """
        INSERT INTO outbox (id, lane, registration, conversation, sequence, message, kind, owner, \
        expires_at, queued_at, collapse, held, campaign, queue) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .head: "UPDATE conversation_heads SET last_sequence = ?, unread = ?, last_message = ? WHERE conversation = ?",
    ]

    private let db: OpaquePointer
    private var statements: [OpaquePointer] = []
    private let begin: OpaquePointer
    private let commit: OpaquePointer

    /// Opens a file that an engine has created.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``HarnessError``.
    init(path: String) throws {
        var db: OpaquePointer?
        // As the engine opens it: without locks around each call.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &db, flags, nil) == SQLITE_OK, let db else {
            throw HarnessError("cannot open \(path)")
        }
        self.db = db
        // The same as the engine's; the first is kept in the file.
        for pragma in [
            "journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 16000", "cache_size = -64000",
            "temp_store = MEMORY", "secure_delete = ON", "cell_size_check = ON",
        ] { sqlite3_exec(db, "PRAGMA \(pragma)", nil, nil, nil) }
        begin = try Self.prepare(db, "BEGIN IMMEDIATE")
        commit = try Self.prepare(db, "COMMIT")
        for target in RawTurn.Target.allCases { statements.append(try Self.prepare(db, Self.sql[target] ?? "")) }
    }

    /// Finalizes the statements and closes the file.
    func close() {
        for statement in statements + [begin, commit] { sqlite3_finalize(statement) }
        sqlite3_close(db)
    }

    /// Executes one turn in one transaction; the texts are not copied.
    ///
    /// - Parameter turn: The rows.
    /// - Throws: ``HarnessError``.
    func run(_ turn: RawTurn) throws {
        try step(begin)
        try turn.texts.withUnsafeBufferPointer { bytes in
            try bytes.withMemoryRebound(to: CChar.self) { texts in
                try turn.cells.withUnsafeBufferPointer { cells in
                    for row in turn.rows { try run(row, cells, texts) }
                }
            }
        }
        try step(commit)
    }

    private func run(
        _ row: RawTurn.Row,
        _ cells: UnsafeBufferPointer<RawTurn.Cell>,
        _ texts: UnsafeBufferPointer<CChar>
    ) throws {
        let statement = statements[row.target.rawValue]
        var index: Int32 = 0
        for cell in row.cells {
            index += 1
            switch cells[cell] {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let value): sqlite3_bind_int64(statement, index, value)
            case .text(let start, let count):
                // No destructor: the texts stay in memory until the turn is done.
                sqlite3_bind_text(statement, index, texts.baseAddress.map { $0 + start }, Int32(count), nil)
            }
        }
        try step(statement)
    }

    private func step(_ statement: OpaquePointer) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw HarnessError("SQLite: \(String(cString: sqlite3_errmsg(db)))") }
    }

    /// Returns the rows of a query whose columns are texts or integers.
    ///
    /// - Parameter sql: The query.
    /// - Returns: Its rows as text.
    /// - Throws: ``HarnessError``.
    func rows(_ sql: String) throws -> [[String]] {
        let statement = try Self.prepare(db, sql)
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map {
                    sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? ""
                }
            )
        }
        return rows
    }

    private static func prepare(_ db: OpaquePointer, _ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(db, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw HarnessError("SQLite: \(String(cString: sqlite3_errmsg(db)))") }
        return statement
    }
}
