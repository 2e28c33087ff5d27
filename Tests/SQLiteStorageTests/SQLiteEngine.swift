import Foundation
import GRDB
import GatewayStorage
import Logging
import SQLiteStorage
import StorageContract

/// Creates stores on files of their own, removed with the engine.
final class SQLiteEngine: ContractEngine {
    let directory: URL
    private let memoryBytes: Int
    private let tunesFileAccess: Bool

    /// Creates an engine with a directory of its own.
    ///
    /// - Parameters:
    ///   - memoryBytes: The writer's memory for consumers.
    ///   - tunesFileAccess: Whether its stores replace SQLite's file methods.
    /// - Throws: When the directory cannot be created.
    init(memoryBytes: Int = SQLiteStore.defaultMemoryBytes, tunesFileAccess: Bool = true) throws {
        self.memoryBytes = memoryBytes
        self.tunesFileAccess = tunesFileAccess
        directory = FileManager.default.temporaryDirectory.appending(path: "switchboard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var path: String { directory.appending(path: "switchboard.db").path }

    func open() async throws -> any GatewayStore { try openSQLite() }

    func reopen(_ store: any GatewayStore) async throws -> any GatewayStore { try openSQLite() }

    func openSQLite() throws -> SQLiteStore {
        try Self.openSQLite(path: path, memoryBytes: memoryBytes, tunesFileAccess: tunesFileAccess)
    }

    static func openSQLite(
        path: String,
        memoryBytes: Int = SQLiteStore.defaultMemoryBytes,
        tunesFileAccess: Bool = true
    ) throws -> SQLiteStore {
        try SQLiteStore.open(
            path: path,
            memoryBytes: memoryBytes,
            tunesFileAccess: tunesFileAccess,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }
}

extension SQLiteEngine {
    /// Returns conversations whose unread count differs from their messages, or that are missing in the index of unread
    /// ones.
    ///
    /// - Returns: Their ids; those of consumers that are being erased are skipped.
    /// - Throws: An error of SQLite; the store must be closed.
    func miscounted() throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read {
            try String.fetchAll(
                $0,
                sql: """
                    SELECT id FROM current_conversations c WHERE consumer IN (SELECT key FROM consumers)
                    AND (unread <> (SELECT count(*) FROM messages m WHERE m.conversation = c.key AND m.counts = 1
                    AND m.sequence > c.read_sequence) OR has_unread <> (unread > 0))
                    """
            )
        }
    }

    /// Returns messages that their conversation does not lead to, and stored places and heads that are missing or wrong.
    ///
    /// - Returns: What is wrong with each; empty for intact data.
    /// - Throws: An error of SQLite; the store must be closed.
    func brokenChains() throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read {
            try String.fetchAll(
                $0,
                sql: """
                    WITH RECURSIVE chain (key, conversation, sequence, previous) AS (
                        SELECT m.key, m.conversation, m.sequence, m.previous FROM conversation_heads h
                        JOIN messages m ON m.key = h.last_message AND m.conversation = h.conversation
                        UNION SELECT m.key, m.conversation, m.sequence, m.previous FROM chain c
                        JOIN messages m ON m.key = c.previous AND m.conversation = c.conversation
                        AND m.sequence < c.sequence),
                    stretches AS (SELECT conversation, sequence / 64 AS position, min(sequence) AS sequence, key
                        FROM messages GROUP BY conversation, sequence / 64)
                    SELECT 'nothing leads to message ' || sequence || ' of ' || conversation FROM messages
                    WHERE key NOT IN (SELECT key FROM chain)
                    UNION ALL SELECT 'place ' || position || ' of ' || conversation || ' is not the first message'
                    FROM message_positions WHERE (conversation, position, message) NOT IN
                    (SELECT conversation, position, key FROM stretches)
                    -- The oldest ones of a conversation may have lost theirs, with those before them.
                    UNION ALL SELECT 'message ' || sequence || ' of ' || conversation || ' has no place'
                    FROM stretches WHERE (conversation, position) NOT IN
                    (SELECT conversation, position FROM message_positions) AND (sequence % 64 = 0
                    OR (conversation, position) NOT IN (SELECT conversation, min(position) FROM stretches
                    GROUP BY conversation))
                    UNION ALL SELECT 'head ' || conversation || ' has no conversation' FROM conversation_heads
                    WHERE conversation NOT IN (SELECT key FROM conversations)
                    UNION ALL SELECT 'conversation ' || key || ' has no head' FROM conversations
                    WHERE key NOT IN (SELECT conversation FROM conversation_heads)
                    UNION ALL SELECT 'message ' || sequence || ' of ' || conversation || ' is not counted' FROM messages m
                    WHERE sequence > (SELECT last_sequence FROM conversation_heads h WHERE h.conversation = m.conversation)
                    """
            )
        }
    }

    /// Writes the data of an earlier version to the path of the store.
    ///
    /// - Parameter name: The name of the fixture.
    /// - Throws: An error of the file or of SQLite.
    func load(fixture name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        let sql = try String(contentsOf: folder.appending(path: "\(name).sql"), encoding: .utf8)
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
