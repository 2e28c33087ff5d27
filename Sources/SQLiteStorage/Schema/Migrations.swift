import SQLStorage
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
    ///   - db: The connection that writes.
    ///   - path: The database file.
    ///   - schema: Its schema.
    ///   - all: The migrations.
    /// - Throws: An error of SQLite; the migrations that were applied before stay applied.
    static func apply(to db: Connection, path: String, _ schema: Schema, all: [Migration] = all) throws {
        if !schema.isMarked { try db.transaction { try Schema.mark(db, all: all) } }
        let pending = schema.pending(all: all)
        guard !pending.isEmpty else { return }
        try sortInFiles(db, beside: path)
        // The table's name is that of the library which applied the first ones.
        try db.run("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        for migration in pending {
            try db.transaction {
                try migration.apply(db)
                try db.prepare("INSERT INTO grdb_migrations (identifier) VALUES (?)").text(migration.name).run()
            }
        }
        try db.run("PRAGMA temp_store = MEMORY")
    }

    /// Lets a connection sort in temporary files, which SQLite deletes when it opens them: in memory, an index takes
    /// more than 100 bytes for each of its rows, however many.
    ///
    /// The files are beside the data: it may be the only place where a container can write. Where SQLite does not take
    /// the directory, it sorts in memory.
    private static func sortInFiles(_ db: Connection, beside path: String) throws {
        let parent = path.folderOfPath
        let directory = (parent.isEmpty ? "." : parent).replacing("'", with: "''")
        hasDirectory.withLock { isSet in
            guard !isSet else { return }
            isSet = true
            try? db.run("PRAGMA temp_store_directory = '\(directory)'")
        }
        guard try db.prepare(once: "PRAGMA temp_store_directory").hasRow() else { return }
        try db.run("PRAGMA temp_store = FILE")
    }

    /// Whether the directory of temporary files was set: once in a process, because other connections read it without a
    /// lock.
    private static let hasDirectory = Mutex(false)
}
