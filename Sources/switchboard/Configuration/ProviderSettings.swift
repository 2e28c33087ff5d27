import Configuration

/// Outgoing connections.
///
/// - `provider.trustRoots` (path of a PEM file, default none: the system's roots alone)
/// - `provider.requestTimeoutSeconds` (seconds, 10 to 600, default 15)
/// - `provider.maxConnections` (connections, 1 to 1,000,000, default 2048, or what the descriptor limit leaves)
/// - `provider.fcmMessagesPerMinute` (messages, 60 to 100,000,000, default 600,000)
struct ProviderSettings: Equatable {
    /// A file of certificate authorities that are trusted beside the system's, for every outgoing connection.
    var trustRoots: String?
    /// The longest wait for the answer to one push; Google asks for 10 s at least (FCM, "Best practices for sending
    /// messages at scale").
    var requestTimeoutSeconds = 15
    /// How many connections there are to all providers at once.
    var maxConnections = 2048
    /// How many messages leave in a minute for one FCM project.
    var fcmMessagesPerMinute = 600_000

    /// The defaults.
    init() {}

    /// Reads and checks.
    ///
    /// - Parameter config: Flags, environment and file.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        trustRoots = try await reader.text(.providerTrustRoots)
        requestTimeoutSeconds = try await reader.integer(
            .providerRequestTimeoutSeconds,
            in: 10...600,
            default: requestTimeoutSeconds
        )
        maxConnections = try await reader.integer(
            .providerMaxConnections,
            in: 1...1_000_000,
            default: maxConnections
        )
        fcmMessagesPerMinute = try await reader.integer(
            .providerFCMMessagesPerMinute,
            in: 60...100_000_000,
            default: fcmMessagesPerMinute
        )
    }
}
