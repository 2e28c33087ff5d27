import Configuration
import GuardedHTTP

/// Outgoing connections.
///
/// - `provider.trustRoots` (path of a PEM file, default none: the system's roots alone)
/// - `provider.requestTimeoutSeconds` (seconds, 10 to 600, default 15)
/// - `provider.maxConnections` (connections, 1 to 1,000,000, default 2048, or what the descriptor limit leaves)
/// - `provider.fcmMessagesPerMinute` (messages, 60 to 100,000,000, default 600,000)
/// - `provider.proxy` (`http://[user:password@]HOST:PORT`, default none)
/// - `provider.proxyPasswordFile` (path, default none)
/// - `provider.noProxy` (names, suffixes, addresses or ranges, comma-separated, default localhost,127.0.0.0/8,::1)
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
    /// The HTTP proxy of all outgoing connections; nil for none.
    var proxy: ProxyURL?
    /// The file of the proxy's password; nil when the URL holds it, or when there is none.
    var proxyPasswordFile: String?
    /// The hosts that are reached without the proxy.
    var noProxy = ProxyExceptions.loopback

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
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
        if let text = try await reader.text(.providerProxy) {
            guard let url = ProxyURL(text) else {
                // The URL may hold a password: show only its scheme.
                let scheme = text.contains(":") ? text.prefix { $0 != ":" } + ":..." : text[...]
                throw reader.wrong(.providerProxy, String(scheme), "http://[user:password@]HOST:PORT")
            }
            proxy = url
        }
        proxyPasswordFile = try await reader.text(.providerProxyPasswordFile)
        if let text = try await reader.list(.providerNoProxy) {
            let entries = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard let exceptions = ProxyExceptions(entries) else {
                throw reader.wrong(
                    .providerNoProxy,
                    text,
                    "names, suffixes that begin with a dot, addresses or ranges of addresses, separated by commas"
                )
            }
            noProxy = exceptions
        }
    }
}
