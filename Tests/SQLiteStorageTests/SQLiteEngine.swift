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

    /// Creates an engine with a directory of its own.
    ///
    /// - Parameter memoryBytes: The writer's memory for consumers.
    /// - Throws: When the directory cannot be created.
    init(memoryBytes: Int = SQLiteStore.defaultMemoryBytes) throws {
        self.memoryBytes = memoryBytes
        directory = FileManager.default.temporaryDirectory.appending(path: "switchboard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var path: String { directory.appending(path: "switchboard.db").path }

    func open() async throws -> any GatewayStore { try openSQLite() }

    func reopen(_ store: any GatewayStore) async throws -> any GatewayStore { try openSQLite() }

    func openSQLite() throws -> SQLiteStore { try Self.openSQLite(path: path, memoryBytes: memoryBytes) }

    static func openSQLite(
        path: String,
        memoryBytes: Int = SQLiteStore.defaultMemoryBytes
    ) throws -> SQLiteStore {
        try SQLiteStore.open(
            path: path,
            memoryBytes: memoryBytes,
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
