internal import Foundation
import GRDB
import Synchronization
internal import TextFormats

/// The migrations in their order; each in a file of its own, never edited once released.
///
/// To add one, append it here and its hash to the test of the hashes.
enum Migrations {
    static let all: [Migration] = [
        M0001CreateTables.migration,
        M0002CountByLabel.migration,
        M0003OwnSubscriptions.migration,
        M0004CountAudit.migration,
        M0005KeepMergeProofs.migration,
        M0006LetAnonymousGo.migration,
        M0007WaitByDevice.migration,
        M0008KeepDeletedLanes.migration,
        M0009HoldManyConsumers.migration,
        M0010QueueByClass.migration,
        M0011KeepClockMark.migration,
        M0012StopDevices.migration,
        M0013RememberInBuckets.migration,
        M0014CountFromMessages.migration,
        M0015RememberDevicesQuickly.migration,
        M0016ChainMessages.migration,
        M0017PassOverProactive.migration,
        M0018NameByConsumer.migration,
        M0019KeepCustomers.migration,
        M0020KeepHooks.migration,
        M0021MarkImported.migration,
        M0022KeepOperators.migration,
        M0023PushAgain.migration,
        M0024KeepReplies.migration,
        M0025PauseLanes.migration,
        M0026TimePushes.migration,
        M0027KeepDeliveryLinks.migration,
        M0028OrderReplaysByArrival.migration,
        M0029PaceLanes.migration,
    ]

    /// Applies the pending migrations to a database whose schema was checked.
    ///
    /// - Parameters:
    ///   - pool: The database.
    ///   - schema: Its schema.
    ///   - all: The migrations.
    /// - Throws: An error of SQLite; the migrations that were applied before stay applied.
    static func apply(to pool: DatabasePool, _ schema: Schema, all: [Migration] = all) throws {
        if !schema.isMarked { try pool.write { try Schema.mark($0, all: all) } }
        var migrator = DatabaseMigrator()
        for migration in all { migrator.registerMigration(migration.name, migrate: migration.apply) }
        guard !schema.pending(all: all).isEmpty else { return try migrator.migrate(pool) }
        try pool.writeWithoutTransaction { try sortInFiles($0, beside: pool.path) }
        try migrator.migrate(pool)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
    }

    /// Lets a connection sort in temporary files, which SQLite deletes when it opens them: in memory, an index takes
    /// more than 100 bytes for each of its rows, however many.
    ///
    /// The files are beside the data: it may be the only place where a container can write. Where SQLite does not take
    /// the directory, it sorts in memory.
    private static func sortInFiles(_ db: Database, beside path: String) throws {
        let parent = path.folderOfPath
        let directory = (parent.isEmpty ? "." : parent).replacing("'", with: "''")
        hasDirectory.withLock { isSet in
            guard !isSet else { return }
            isSet = true
            try? db.execute(sql: "PRAGMA temp_store_directory = '\(directory)'")
        }
        guard try String.fetchOne(db, sql: "PRAGMA temp_store_directory") != nil else { return }
        try db.execute(sql: "PRAGMA temp_store = FILE")
    }

    /// Whether the directory of temporary files was set: once in a process, because other connections read it without a
    /// lock.
    private static let hasDirectory = Mutex(false)
}
