import Configuration
import GatewayHTTP
import GuardedHTTP

/// Listening address, files and limits.
///
/// - `server.listen` (HOST:PORT, default 127.0.0.1:8080)
/// - `server.dataDir` (path, default ./data)
/// - `server.adminTokenFile` (path, default `admin-token` in the data directory)
/// - `server.masterKeyFile` (path, default `master-key` in the data directory)
/// - `server.maxConnections` (connections, 1 to 1,000,000, default 4096)
/// - `server.maxRequestsInFlight` (requests, 1 to 1,000,000, default 2048)
/// - `server.requestTimeoutSeconds` (seconds, 1 to 3,600, default 30)
/// - `server.trustedProxies` (addresses or ranges whose `X-Forwarded-For` is believed, comma-separated, default
///   127.0.0.0/8,::1)
/// - `server.http2` (true or false, default true: HTTP/2 is spoken besides HTTP/1.1)
/// - `server.tls.*`: see ``ServerTLSSettings``
/// - `server.insecure` (true or false, default false: without TLS only a loopback address may be listened on)
/// - `limits.connectionsPerAddress` (connections, 1 to 1,000,000, default 256)
/// - `limits.slotsPerAddress` (requests in progress at once, 1 to 1,000,000, default 128)
/// - `limits.windowsPerAddress` (messaging windows, 1 to 1,000,000, default 256)
/// - `limits.bodyMegabytes` (MiB of request bodies in memory, 64 to 1,000,000, default 256)
/// - `limits.accountRequestsPerSecond` (of one service account, 0 to 1,000,000, 0 sets no limit, default 10,000)
/// - `limits.credentialRequestsPerSecond` (logins with one credential, likewise, default 10,000)
/// - `limits.sessionRequestsPerSecond` (of one consumer's session, likewise, default 20)
/// - `limits.addressRequestsPerSecond` (of one address without a valid credential, likewise, default 20)
package struct ServerSettings: Equatable, Sendable {
    /// The address of the HTTP API.
    package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// The directory with all data of this instance.
    package var dataDir = "./data"
    /// The file of the admin token; nil is one in the data directory, created when it is missing.
    var adminTokenFile: String?
    /// The file of the master key; nil is one in the data directory, created when it is missing.
    var masterKeyFile: String?
    /// The limits of the HTTP API.
    var limits = ServerLimits()
    /// Whether HTTP/2 is spoken besides HTTP/1.1.
    var isHTTP2Spoken = true
    /// The files of TLS; nil for plain HTTP.
    package var tls: ServerTLSSettings?
    /// Whether plain HTTP is served on any address, because a proxy terminates TLS.
    var isInsecure = false

    /// The defaults.
    package init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        listen = try await reader.address(.serverListen) ?? listen
        dataDir = try await reader.text(.serverDataDir) ?? dataDir
        adminTokenFile = try await reader.text(.serverAdminTokenFile)
        masterKeyFile = try await reader.text(.serverMasterKeyFile)
        isHTTP2Spoken = try await reader.flag(.serverHTTP2, default: isHTTP2Spoken)
        tls = try await ServerTLSSettings(reader)
        tls?.offersHTTP2 = isHTTP2Spoken
        isInsecure = try await reader.flag(.serverInsecure, default: isInsecure)
        limits.maxConnections = try await reader.integer(
            .serverMaxConnections,
            in: 1...1_000_000,
            default: limits.maxConnections
        )
        limits.maxRequestsInFlight = try await reader.integer(
            .serverMaxRequestsInFlight,
            in: 1...1_000_000,
            default: limits.maxRequestsInFlight
        )
        limits.connectionsPerAddress = try await reader.integer(
            .limitsConnectionsPerAddress,
            in: 1...1_000_000,
            default: limits.connectionsPerAddress
        )
        limits.slotsPerAddress = try await reader.integer(
            .limitsSlotsPerAddress,
            in: 1...1_000_000,
            default: limits.slotsPerAddress
        )
        limits.windowsPerAddress = try await reader.integer(
            .limitsWindowsPerAddress,
            in: 1...1_000_000,
            default: limits.windowsPerAddress
        )
        let megabytes = try await reader.integer(
            .limitsBodyMegabytes,
            in: 64...1_000_000,
            default: limits.bodyBytes >> 20
        )
        limits.bodyBytes = megabytes << 20
        let seconds = limits.requestTimeout.components.seconds
        limits.requestTimeout = .seconds(
            try await reader.integer(.serverRequestTimeoutSeconds, in: 1...3600, default: seconds)
        )
        limits.trustedProxies = try await Self.proxies(reader) ?? limits.trustedProxies
        func rate(_ key: SettingKey, _ fallback: Int) async throws -> Int {
            try await reader.integer(key, in: 0...1_000_000, default: fallback)
        }
        limits.rates.accountPerSecond = try await rate(.limitsAccountRequestsPerSecond, limits.rates.accountPerSecond)
        limits.rates.credentialPerSecond = try await rate(
            .limitsCredentialRequestsPerSecond,
            limits.rates.credentialPerSecond
        )
        limits.rates.sessionPerSecond = try await rate(.limitsSessionRequestsPerSecond, limits.rates.sessionPerSecond)
        limits.rates.addressPerSecond = try await rate(.limitsAddressRequestsPerSecond, limits.rates.addressPerSecond)
    }

    /// The scheme of the API's URL.
    package var scheme: String { tls == nil ? "http" : "https" }

    /// Whether other hosts can reach the API without TLS.
    package var isExposed: Bool { tls == nil && !listen.isLoopback }

    /// Checks that passwords and messages do not pass the network in plain text by mistake; for what listens.
    ///
    /// - Throws: ``SettingsError`` when other hosts can reach the API without TLS and `server.insecure` does not allow
    ///   it.
    package func checkExposure() throws(SettingsError) {
        guard isExposed, !isInsecure else { return }
        throw .wrong(
            key: SettingKey.serverListen.rawValue,
            environmentName: SettingKey.serverListen.environmentName,
            value: "\(listen)",
            allowed: "a loopback address as long as TLS is off: set server.tls.certificate and server.tls.key, or "
                + "server.insecure to true if a proxy terminates TLS"
        )
    }

    private static func proxies(_ reader: SettingsReader) async throws -> [AddressRange]? {
        guard let text = try await reader.text(.serverTrustedProxies) else { return nil }
        return try text.split(separator: ",").map { part in
            let name = String(part.drop { $0 == " " }.prefix { $0 != " " })
            guard let range = AddressRange(name) else {
                throw reader.wrong(.serverTrustedProxies, text, "addresses or ranges of addresses, separated by commas")
            }
            return range
        }
    }
}
