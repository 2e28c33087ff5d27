import Configuration

/// The location and limits of the store.
///
/// - `storage.url` (`sqlite:PATH`, default `switchboard.sqlite` in the data directory)
/// - `storage.minFreeMegabytes` (MiB, 0 to 1,000,000,000, default 64; 0 = never refuse)
/// - `storage.copyBeforeMigration` (true or false, default true)
/// - `storage.memoryMegabytes` (MiB, 0 to 1,000,000, default 192)
/// - `storage.tuneFileAccess` (true or false, default true)
package struct StorageSettings: Equatable, Sendable {
    /// The SQLite file; nil is the one in the data directory.
    var sqlitePath: String?
    /// MiB that must be free on the data's file system for events to be accepted; 0 disables the check.
    var minFreeMegabytes: UInt64 = 64
    /// Whether the database is copied to its directory before migrations change it.
    package var copiesBeforeMigration = true
    /// MiB of the writer's cache of consumers with recent events.
    var memoryMegabytes = Self.defaultMemoryMegabytes
    /// Whether some of SQLite's file methods are replaced by faster ones.
    var tunesFileAccess = true

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        minFreeMegabytes = try await reader.integer(
            .storageMinFreeMegabytes,
            in: 0...1_000_000_000,
            default: minFreeMegabytes
        )
        copiesBeforeMigration = try await reader.flag(.storageCopyBeforeMigration, default: copiesBeforeMigration)
        memoryMegabytes = try await reader.integer(.storageMemoryMegabytes, in: 0...1_000_000, default: memoryMegabytes)
        tunesFileAccess = try await reader.flag(.storageTuneFileAccess, default: tunesFileAccess)
        guard let url = try await reader.text(.storageURL) else { return }
        guard url.hasPrefix("sqlite:"), url.count > "sqlite:".count else {
            // The URL of another engine may hold a password: show only its scheme.
            let scheme = url.contains(":") ? url.prefix { $0 != ":" } + ":..." : url[...]
            throw reader.wrong(.storageURL, String(scheme), "sqlite:PATH")
        }
        sqlitePath = String(url.dropFirst("sqlite:".count))
    }
}
