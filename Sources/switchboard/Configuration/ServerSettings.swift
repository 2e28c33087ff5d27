import Configuration

/// Listening address and files.
///
/// - `server.listen` (HOST:PORT, default 127.0.0.1:8080)
/// - `server.dataDir` (path, default ./data)
/// - `server.adminTokenFile` (path, default `admin-token` in the data directory)
/// - `server.masterKeyFile` (path, default `master-key` in the data directory)
struct ServerSettings: Equatable {
    /// Where the HTTP API listens.
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Where everything of this instance is kept.
    var dataDir = "./data"
    /// The file of the admin token; nil is one in the data directory that is made when it is missing.
    var adminTokenFile: String?
    /// The file of the master key; nil is one in the data directory that is made when it is missing.
    var masterKeyFile: String?

    /// The defaults.
    init() {}

    /// Reads and checks.
    ///
    /// - Parameter config: Flags, environment and file.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        listen = try await reader.address(.serverListen) ?? listen
        dataDir = try await reader.text(.serverDataDir) ?? dataDir
        adminTokenFile = try await reader.text(.serverAdminTokenFile)
        masterKeyFile = try await reader.text(.serverMasterKeyFile)
    }
}
