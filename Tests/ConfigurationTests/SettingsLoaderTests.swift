import Delivery
import Foundation
import GatewayModel
import GuardedHTTP
import Identity
import Logging
import Telemetry
import Testing

@testable import Gateway

@Suite("Configuration")
struct SettingsLoaderTests {
    /// Runs a test with a file of some text.
    private static func withFile<Result>(_ text: String, _ body: (String) async throws -> Result) async throws -> Result
    {
        let path = NSTemporaryDirectory() + "switchboard-settings-\(UUID().uuidString).yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private static func load(_ text: String, environment: [String: String] = [:]) async throws -> GatewaySettings {
        try await withFile(text) { try await SettingsLoader(environment: environment, file: $0).load() }
    }

    private static var repository: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    @Test("without configuration the settings are the defaults: loopback, ./data")
    func nothing() async throws {
        let settings = try await SettingsLoader(environment: [:]).load()
        #expect(settings == GatewaySettings())
        #expect(settings.server.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(settings.server.dataDir == "./data")
    }

    @Test("the documented file contains every setting, and its values are the defaults")
    func documentedFile() async throws {
        let path = Self.repository.appending(path: "Config/switchboard.yaml").path()
        #expect(try await SettingsLoader(environment: [:], file: path).load() == GatewaySettings())
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        var (section, group) = ("", "")
        var keys: Set<String> = []
        for line in lines where !line.contains("#") {
            let name = line.prefix { $0 != ":" }
            if name.hasPrefix("    ") {
                keys.insert("\(section).\(group).\(name.dropFirst(4))")
            } else if name.hasPrefix("  ") {
                group = String(name.dropFirst(2))
                if !line.hasSuffix(":") { keys.insert("\(section).\(group)") }
            } else {
                section = String(name)
            }
        }
        #expect(keys == Set(SettingKey.allCases.map(\.rawValue)))
    }

    @Test(
        "each setting has the documented environment name",
        arguments: [
            (SettingKey.providerTrustRoots, "SWITCHBOARD_PROVIDER_TRUST_ROOTS"),
            (.providerMaxConnections, "SWITCHBOARD_PROVIDER_MAX_CONNECTIONS"),
            (.providerProxy, "SWITCHBOARD_PROVIDER_PROXY"),
            (.providerProxyPasswordFile, "SWITCHBOARD_PROVIDER_PROXY_PASSWORD_FILE"),
            (.providerNoProxy, "SWITCHBOARD_PROVIDER_NO_PROXY"),
            (.intakeMaxPendingEvents, "SWITCHBOARD_INTAKE_MAX_PENDING_EVENTS"),
            (.deliveryRetryDelaysSeconds, "SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS"),
            (.deliveryDrainDeadlineSeconds, "SWITCHBOARD_DELIVERY_DRAIN_DEADLINE_SECONDS"),
            (.storageURL, "SWITCHBOARD_STORAGE_URL"),
            (.retentionDays, "SWITCHBOARD_RETENTION_DAYS"),
            (.retentionAuditDays, "SWITCHBOARD_RETENTION_AUDIT_DAYS"),
            (.outgoingAllowLoopback, "SWITCHBOARD_OUTGOING_ALLOW_LOOPBACK"),
            (.operatorsOIDCClientSecret, "SWITCHBOARD_OPERATORS_OIDC_CLIENT_SECRET"),
            (.logLevel, "SWITCHBOARD_LOG_LEVEL"),
            (.logFormat, "SWITCHBOARD_LOG_FORMAT"),
            (.metricsListen, "SWITCHBOARD_METRICS_LISTEN"),
            (.telemetryTraces, "SWITCHBOARD_TELEMETRY_TRACES"),
            (.telemetryTraceShare, "SWITCHBOARD_TELEMETRY_TRACE_SHARE"),
            (.telemetryTraceHeadersFile, "SWITCHBOARD_TELEMETRY_TRACE_HEADERS_FILE"),
            (.serverListen, "SWITCHBOARD_SERVER_LISTEN"),
            (.serverDataDir, "SWITCHBOARD_SERVER_DATA_DIR"),
            (.serverTLSCertificate, "SWITCHBOARD_SERVER_TLS_CERTIFICATE"),
            (.serverTLSKey, "SWITCHBOARD_SERVER_TLS_KEY"),
            (.serverTLSClientCA, "SWITCHBOARD_SERVER_TLS_CLIENT_CA"),
            (.serverInsecure, "SWITCHBOARD_SERVER_INSECURE"),
            (.serverHTTP2, "SWITCHBOARD_SERVER_HTTP2"),
        ]
    )
    func environmentNames(key: SettingKey, name: String) {
        #expect(key.environmentName == name)
    }

    @Test("every setting is read from its environment variable", arguments: SettingKey.allCases)
    func environment(key: SettingKey) async throws {
        // A value that no setting accepts: its error shows that the variable was read; texts are compared.
        let environment = [key.environmentName: "\u{1}"]
        do {
            let settings = try await SettingsLoader(environment: environment).load()
            #expect(settings != GatewaySettings())
        } catch let error as SettingsError {
            #expect("\(error)".contains(key.rawValue) && "\(error)".contains(key.environmentName))
        }
    }

    @Test("the operators' identity provider needs a client and a claim; a mapping names roles")
    func identityProvider() async throws {
        func load(_ changes: [String: String] = [:]) async throws -> GatewaySettings {
            let base = [
                "ISSUER": "https://idp.example/a", "CLIENT_ID": "c", "CLIENT_SECRET": "hidden", "ROLES": "groups",
                "MAPPING": "CN=ops=operator@acme, admins=admin",
            ]
            let all = base.merging(changes) { $1 }.map { ("SWITCHBOARD_OPERATORS_OIDC_" + $0, $1) }
            return try await SettingsLoader(environment: Dictionary(uniqueKeysWithValues: all)).load()
        }
        let provider = try #require(try await load().operators.provider)
        #expect(provider.issuer == "https://idp.example/a" && provider.clientSecret == "hidden")
        #expect(provider.nameClaim == "sub" && provider.scopes == "openid profile email")
        let grants = [OperatorGrant(.operator, in: BrandID(trusted: "acme")), OperatorGrant(.admin, in: nil)]
        #expect(provider.mapping.map(\.grant) == grants && provider.mapping.map(\.value) == ["CN=ops", "admins"])
        #expect(try await load(["ISSUER": ""]).operators.provider == nil)
        for (name, value) in [
            ("ISSUER", "http://idp.example"), ("ISSUER", "https://idp.example?a"), ("CLIENT_ID", ""),
            ("CLIENT_SECRET", ""), ("ROLES", ""), ("SCOPES", "profile"), ("NAME", String(repeating: "x", count: 257)),
            ("MAPPING", "a"), ("MAPPING", "=admin"), ("MAPPING", "a=boss"), ("MAPPING", "a=admin,"),
            ("MAPPING", "a=admin@"),
        ] {
            let error = await #expect(throws: SettingsError.self) { _ = try await load([name: value]) }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("SWITCHBOARD_OPERATORS_OIDC_" + name) && !text.contains("hidden"), "\(text)")
        }
    }

    @Test("flags override the environment, the environment the file, the file the defaults")
    func precedence() async throws {
        let file = """
            server: {listen: "127.0.0.1:1", dataDir: /file}
            log: {level: error, format: text}
            delivery:
              retryDelaysSeconds: [1, 2]
            """
        let settings = try await Self.withFile(file) { path in
            try await SettingsLoader(
                flags: [.serverListen: "127.0.0.1:3"],
                environment: [
                    "SWITCHBOARD_SERVER_LISTEN": "127.0.0.1:2", "SWITCHBOARD_LOG_LEVEL": "debug",
                    "SWITCHBOARD_LOG_FORMAT": "",
                ],
                file: path
            ).load()
        }
        #expect(settings.server.listen.port == 3)
        #expect(settings.server.dataDir == "/file")
        #expect(settings.log.level == .debug)
        #expect(settings.delivery.retryDelaysSeconds == [1, 2])
        #expect(settings.delivery.slotsPerLane == DeliverySettings().slotsPerLane)
    }

    @Test(
        "a wrong value is named with its key, its variable and the allowed values",
        arguments: [
            ("intake: {maxPendingEvents: 0}", "intake.maxPendingEvents", "\"0\"", "from 1 to 1000000"),
            ("intake: {maxPendingEvents: many}", "intake.maxPendingEvents", "\"many\"", "a whole number"),
            ("intake: {maxPendingBytes: 1}", "intake.maxPendingBytes", "\"1\"", "from 65536 to 4294967296"),
            ("delivery: {slotsPerLane: -5}", "delivery.slotsPerLane", "\"-5\"", "from 1 to 100000"),
            ("delivery: {slots: 0}", "delivery.slots", "\"0\"", "from 1 to 10000000"),
            ("delivery: {retryDelaysSeconds: \"5,x\"}", "delivery.retryDelaysSeconds", "\"5,x\"", "1 to 86400"),
            ("delivery: {retryDelaysSeconds: [5, 0]}", "delivery.retryDelaysSeconds", "\"5,0\"", "1 to 86400"),
            ("delivery: {drainDeadlineSeconds: [1]}", "delivery.drainDeadlineSeconds", "a list", "one value"),
            ("provider: {maxConnections: 0}", "provider.maxConnections", "\"0\"", "from 1 to 1000000"),
            ("provider: {proxy: \"https://h:1\"}", "provider.proxy", "\"https:...\"", "http://"),
            ("provider: {proxy: \"http://u:secret@h\"}", "provider.proxy", "\"http:...\"", "HOST:PORT"),
            ("provider: {noProxy: [10.0.0.0/40]}", "provider.noProxy", "\"10.0.0.0/40\"", "ranges of addresses"),
            ("retention: {days: 0}", "retention.days", "\"0\"", "from 1 to 3650"),
            ("outgoing: {allowPrivateAddresses: 1}", "outgoing.allowPrivateAddresses", "\"1\"", "true, false"),
            ("outgoing: {allowLoopback: yes!}", "outgoing.allowLoopback", "\"yes!\"", "true, false"),
            ("log: {level: loud}", "log.level", "\"loud\"", "trace, debug, info"),
            ("log: {format: xml}", "log.format", "\"xml\"", "json, text"),
            ("server: {listen: \"8080\"}", "server.listen", "\"8080\"", "HOST:PORT"),
            ("server: {listen: \"::1:80\"}", "server.listen", "\"::1:80\"", "IPv6 in brackets"),
            ("server: {listen: \"h:65536\"}", "server.listen", "\"h:65536\"", "0 to 65535"),
            ("metrics: {listen: nonsense}", "metrics.listen", "\"nonsense\"", "HOST:PORT"),
            ("telemetry: {traceShare: 1.5}", "telemetry.traceShare", "\"1.5\"", "a number from 0 to 1"),
            ("telemetry: {traceShare: nan}", "telemetry.traceShare", "\"nan\"", "a number from 0 to 1"),
            ("storage: {tuneFileAccess: maybe}", "storage.tuneFileAccess", "\"maybe\"", "true, false"),
            ("storage: {url: \"postgres://u:secret@h/d\"}", "storage.url", "\"postgres:...\"", "sqlite:PATH"),
        ]
    )
    func wrongValues(file: String, key: String, value: String, allowed: String) async throws {
        let error = await #expect(throws: SettingsError.self) { try await Self.load(file) }
        let text = try #require(error?.description)
        #expect(text.contains(key) && text.contains(value) && text.contains(allowed))
        #expect(text.contains("SWITCHBOARD_"))
        #expect(!text.contains("secret"))
    }

    @Test(
        "the proxy's URL has an address and perhaps a user and a password, percent-encoded",
        arguments: [
            ("http://proxy.example:3128", "proxy.example:3128", nil, nil),
            ("HTTP://u@[2001:db8::1]:80/", "[2001:db8::1]:80", "u", nil),
            ("http://u%40d:p%3Aa%2Fb:c@h:1", "h:1", "u@d", "p:a/b:c"), ("http://u:@h:1", "h:1", "u", ""),
        ] as [(String, String, String?, String?)]
    )
    func proxyURL(text: String, address: String, user: String?, password: String?) throws {
        let url = try #require(ProxyURL(text))
        #expect(url.address.description == address && url.user == user && url.password == password)
    }

    @Test(
        "another form of the proxy's URL is rejected",
        arguments: [
            "proxy.example:3128", "https://h:1", "socks5://h:1", "http://h", "http://h:0", "http://h:1/path",
            "http://:1",
            "http://:p@h:1", "http://u%3Av:p@h:1", "http://u:%zz@h:1", "http://u:p%0A@h:1", "http://::1:80",
            "http://h\u{e4}:1",
        ]
    )
    func wrongProxyURL(text: String) {
        #expect(ProxyURL(text) == nil)
    }

    @Test("hosts without the proxy are a list, or text with commas")
    func noProxy() async throws {
        let list = try await Self.load("provider: {noProxy: [.example.com, 10.0.0.0/8]}").provider.noProxy
        #expect(list.contains("a.example.com") && list.contains("10.1.1.1") && !list.contains("localhost"))
        let text = try await Self.load("", environment: ["SWITCHBOARD_PROVIDER_NO_PROXY": ".example.com, 10.0.0.0/8"])
        #expect(text.provider.noProxy == list)
    }

    @Test(
        "an unknown key is an error that names the nearest setting",
        arguments: [
            ("intake: {maxPendingEvent: 5}", "intake.maxPendingEvent (did you mean intake.maxPendingEvents?)"),
            ("log: {levels: info}", "log.levels (did you mean log.level?)"),
            ("Log: {level: info}", "Log.level (did you mean log.level?)"),
            ("listen: 127.0.0.1:1", "listen"),
            ("completely: {different: thing}", "completely.different"),
        ]
    )
    func unknownKeys(file: String, message: String) async throws {
        let error = await #expect(throws: SettingsError.self) { try await Self.load(file) }
        let text = try #require(error?.description)
        #expect(text.contains("not a setting: \(message)"))
    }

    @Test(
        "a file that is not YAML, or missing, is an error that names it",
        arguments: ["- a\n- b\n", "log: [unclosed", "just text"]
    )
    func brokenFiles(text: String) async throws {
        try await Self.withFile(text) { path in
            let error = await #expect(throws: SettingsError.self) {
                try await SettingsLoader(environment: [:], file: path).load()
            }
            let text = try #require(error?.description)
            #expect(text.contains(path))
        }
        let missing = await #expect(throws: SettingsError.self) {
            try await SettingsLoader(environment: [:], file: "/nowhere/at/all.yaml").load()
        }
        let text = try #require(missing?.description)
        #expect(text.contains("/nowhere/at/all.yaml"))
    }

    @Test("an empty file and empty values are the defaults", arguments: ["", "# nothing\n---\n", "log: {level: \"\"}"])
    func emptyFiles(text: String) async throws {
        #expect(try await Self.load(text) == GatewaySettings())
    }

    @Test("unknown variables with the prefix of settings are found, with the nearest setting")
    func unknownEnvironment() {
        let loader = SettingsLoader(environment: [
            "SWITCHBOARD_LOG_LEVLE": "x", "SWITCHBOARD_SERVER": "http://h", "PATH": "/bin",
            "SWITCHBOARD_LOG_LEVEL": "info",
        ])
        #expect(
            loader.unknownEnvironmentNames(besides: ["SWITCHBOARD_SERVER"])
                == [.init(name: "SWITCHBOARD_LOG_LEVLE", nearest: "SWITCHBOARD_LOG_LEVEL")]
        )
    }
}
