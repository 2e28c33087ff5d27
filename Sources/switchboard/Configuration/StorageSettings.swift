import Configuration

/// Where the store is.
///
/// - `storage.url` (`sqlite:PATH`, default `switchboard.sqlite` in the data directory)
struct StorageSettings: Equatable {
    /// The SQLite file; nil is the one in the data directory.
    var sqlitePath: String?

    /// The defaults.
    init() {}

    /// Reads and checks.
    ///
    /// - Parameter config: Flags, environment and file.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        guard let url = try await reader.text(.storageURL) else { return }
        guard url.hasPrefix("sqlite:"), url.count > "sqlite:".count else {
            // A URL of another engine may hold a password, so only its scheme is shown.
            let scheme = url.contains(":") ? url.prefix { $0 != ":" } + ":..." : url[...]
            throw reader.wrong(.storageURL, String(scheme), "sqlite:PATH")
        }
        sqlitePath = String(url.dropFirst("sqlite:".count))
    }
}
