import Configuration

/// Outgoing connections.
///
/// - `provider.trustRoots` (path of a PEM file, default none: the system's roots alone)
/// - `provider.requestTimeoutSeconds` (seconds, 10 to 600, default 15)
/// - `provider.maxConnections` (connections, 1 to 1,000,000, default 2048, or what the descriptor limit leaves)
/// - `provider.fcmMessagesPerMinute` (messages, 60 to 100,000,000, default 600,000)
struct ProviderSettings: Equatable {
    /// A file of certificate authorities that every outgoing connection trusts in addition to the system's.
    var trustRoots: String?
    /// The timeout for the response to one push; Google asks for 10 s at least (FCM, "Best practices for sending
    /// messages at scale").
    var requestTimeoutSeconds = 15
    /// The limit of simultaneous connections to all providers.
    var maxConnections = 2048
    /// The limit of messages per minute for one FCM project.
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
