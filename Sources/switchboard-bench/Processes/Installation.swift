import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// A gateway and a simulator as processes of their own, on free ports of the loopback address, in a temporary folder.
final class Installation: Sendable {
    /// The brand of the benchmark.
    static let brand = "bench"
    /// The iOS app.
    static let iosApp = "ios"

    let directory: URL
    let simulator: ChildProcess
    let gateway: ChildProcess
    /// `http://127.0.0.1:PORT` of the gateway.
    let gatewayURL: String
    /// `http://127.0.0.1:PORT` of the simulator's control.
    let controlURL: String
    /// `127.0.0.1:PORT` of the simulated APNs.
    let apns: String
    /// Basic credentials of the back-end, once ``configure(http:)`` has run.
    let adminToken: String

    private init(
        directory: URL,
        simulator: ChildProcess,
        gateway: ChildProcess,
        gatewayURL: String,
        controlURL: String,
        apns: String,
        adminToken: String
    ) {
        self.directory = directory
        self.simulator = simulator
        self.gateway = gateway
        self.gatewayURL = gatewayURL
        self.controlURL = controlURL
        self.apns = apns
        self.adminToken = adminToken
    }

    /// The port of the gateway.
    var gatewayPort: Int { gatewayURL.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Where the simulator keeps its certificates and the credentials that it accepts.
    static func certificates(in directory: URL) -> URL { directory.appendingPathComponent("certificates") }

    /// Starts both.
    ///
    /// - Parameters:
    ///   - binaries: The folder of the built programs.
    ///   - quiet: Whether the simulator only counts pushes.
    /// - Returns: An installation without brands.
    /// - Throws: When one of them does not come up.
    static func start(binaries: URL, quiet: Bool) async throws -> Installation {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "switchboard-bench-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let (simulator, apns, control) = try await startSimulator(
            binaries: binaries,
            directory: directory,
            quiet: quiet
        )
        let data = directory.appendingPathComponent("data")
        let gateway = try ChildProcess(
            binaries.appendingPathComponent("switchboard").path,
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", data.path],
            environment: [
                "SWITCHBOARD_PROVIDER_TRUST_ROOTS": certificates(in: directory).appendingPathComponent("ca.pem").path,
                "SWITCHBOARD_LOG_LEVEL": "warning",
            ],
            logPath: directory.appendingPathComponent("gateway.log").path
        )
        let ready = try await gateway.line(beginning: "listening on ")
        let token = try String(contentsOf: data.appendingPathComponent("admin-token"), encoding: .utf8)
        return Installation(
            directory: directory,
            simulator: simulator,
            gateway: gateway,
            gatewayURL: String(ready.dropFirst("listening on ".count)),
            controlURL: "http://\(control)",
            apns: apns,
            adminToken: token.trimmingCharacters(in: .whitespacesAndNewlines)
        )
    }

    /// Starts only a simulator.
    ///
    /// - Parameters:
    ///   - binaries: The folder of the built programs.
    ///   - directory: Where it keeps its files.
    ///   - quiet: Whether it only counts pushes.
    /// - Returns: The process, and `HOST:PORT` of APNs and of the control port.
    /// - Throws: When it does not come up.
    static func startSimulator(
        binaries: URL,
        directory: URL,
        quiet: Bool
    ) async throws -> (process: ChildProcess, apns: String, control: String) {
        let simulator = try ChildProcess(
            binaries.appendingPathComponent("push-simulator").path,
            ["--apns", "127.0.0.1:0", "--fcm", "127.0.0.1:0", "--control", "127.0.0.1:0"]
                + ["--certificates", certificates(in: directory).path] + (quiet ? ["--quiet"] : []),
            logPath: directory.appendingPathComponent("simulator.log").path
        )
        _ = try await simulator.line(beginning: "ready")
        func address(_ name: String) throws -> String {
            for line in simulator.lines where line.lowercased().hasPrefix(name) {
                if let match = line.firstMatch(of: /127\.0\.0\.1:(\d+)/) { return "127.0.0.1:\(match.1)" }
            }
            throw BenchmarkError("the simulator did not say where \(name) listens")
        }
        return (simulator, try address("apns"), try address("control"))
    }

    /// Makes the brand, the iOS app, a service account, and a device for each consumer.
    ///
    /// - Parameters:
    ///   - http: A client.
    ///   - consumers: How many consumers with one device each.
    ///   - apnsEndpoint: Where the app's pushes go; nil takes the simulator.
    /// - Returns: The value of `authorization` for the back-end.
    /// - Throws: When the gateway refuses something.
    func configure(http: HTTPClient, consumers: Int, apnsEndpoint: String? = nil) async throws -> String {
        let certificates = Self.certificates(in: directory)
        let key = try String(contentsOf: certificates.appendingPathComponent("apns-key.p8"), encoding: .utf8)
        _ = try await call(http, "POST", "/v1/brands", ["id": Self.brand, "name": "Bench"])
        let identity = try SimulatorIdentity(certificates: certificates)
        _ = try await call(
            http,
            "PUT",
            "/v1/brands/\(Self.brand)/apps/\(Self.iosApp)",
            [
                "platform": "ios",
                "apns": [
                    "teamId": identity.teamID, "keyId": identity.keyID, "privateKey": key, "topic": identity.topic,
                    "endpoints": ["production": apnsEndpoint ?? "https://\(apns)"],
                ] as [String: Any],
            ]
        )
        let account = try await call(
            http,
            "POST",
            "/v1/brands/\(Self.brand)/credentials",
            [
                "kind": "serviceAccount", "name": "bench",
                "scopes": ["events:write", "consumers:write", "deliveries:read"],
            ]
        )
        guard let id = account["id"] as? String, let secret = account["secret"] as? String else {
            throw BenchmarkError("the gateway answered no service account")
        }
        let basic = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let lanes = 16
            for lane in 0..<lanes {
                group.addTask {
                    for consumer in stride(from: lane, to: consumers, by: lanes) {
                        _ = try await self.call(
                            http,
                            "PUT",
                            "/v1/brands/\(Self.brand)/apps/\(Self.iosApp)/devices/device-\(consumer)?consumer=consumer-\(consumer)",
                            ["token": Self.token(consumer), "pushType": "apns", "environment": "production"],
                            authorization: basic
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        return basic
    }

    /// A device token of 32 bytes that no other consumer has.
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "ab", count: 24) + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Calls the gateway as the operator, or with another `authorization`.
    ///
    /// - Parameters:
    ///   - http: A client.
    ///   - method: The method.
    ///   - path: The path.
    ///   - body: A JSON object; nil sends none.
    ///   - authorization: In place of the admin token.
    /// - Returns: The answer's JSON object, empty when there is none.
    /// - Throws: ``BenchmarkError`` for any other status than 2xx.
    @discardableResult
    func call(
        _ http: HTTPClient,
        _ method: String,
        _ path: String,
        _ body: [String: Any]? = nil,
        authorization: String? = nil
    ) async throws -> [String: Any] {
        var request = HTTPClientRequest(url: gatewayURL + path)
        request.method = .RAW(value: method)
        request.headers.add(name: "authorization", value: authorization ?? "Bearer \(adminToken)")
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(data: try JSONSerialization.data(withJSONObject: body)))
        }
        let response = try await http.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 16 << 20)
        guard (200..<300).contains(response.status.code) else {
            throw BenchmarkError("\(method) \(path): \(response.status.code) \(String(buffer: bytes))")
        }
        return (try? JSONSerialization.jsonObject(with: Data(buffer: bytes)) as? [String: Any]) ?? [:]
    }

    /// How many pushes the simulator has accepted.
    ///
    /// - Parameter http: A client.
    /// - Returns: The count since its start.
    /// - Throws: When its control port does not answer.
    func acceptedPushes(_ http: HTTPClient) async throws -> Int {
        try await Self.acceptedPushes(http, control: controlURL)
    }

    /// How many pushes a simulator has accepted.
    ///
    /// - Parameters:
    ///   - http: A client.
    ///   - control: `http://HOST:PORT` of its control port.
    /// - Returns: The count since its start.
    /// - Throws: When its control port does not answer.
    static func acceptedPushes(_ http: HTTPClient, control: String) async throws -> Int {
        let response = try await http.execute(HTTPClientRequest(url: control + "/stats"), timeout: .seconds(10))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        let stats = try JSONSerialization.jsonObject(with: Data(buffer: bytes)) as? [String: Any]
        guard let accepted = stats?["accepted"] as? Int else {
            throw BenchmarkError("the simulator's stats lack 'accepted'")
        }
        return accepted
    }

    /// Ends both and removes the folder.
    func stop() async {
        await gateway.stop()
        await simulator.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}
