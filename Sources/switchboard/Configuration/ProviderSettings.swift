import Configuration

/// Outgoing connections.
///
/// - `provider.trustRoots` (path of a PEM file, default none: the system's roots alone)
struct ProviderSettings: Equatable {
    /// A file of certificate authorities that are trusted beside the system's, for every outgoing connection.
    var trustRoots: String?

    /// The defaults.
    init() {}

    /// Reads and checks.
    ///
    /// - Parameter config: Flags, environment and file.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        trustRoots = try await SettingsReader(config: config).text(.providerTrustRoots)
    }
}
