package import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A gateway and a simulator as separate processes, on free ports of the loopback address, in a temporary directory.
package final class Installation: Sendable {
    /// The brand of the load.
    package static let brand = "bench"
    /// The iOS app.
    package static let iosApp = "ios"

    /// The directory of both processes' files.
    package let directory: TemporaryDirectory
    /// The simulator.
    package let simulator: SimulatorProcess
    /// The gateway.
    package let gateway: GatewayProcess

    private init(directory: TemporaryDirectory, simulator: SimulatorProcess, gateway: GatewayProcess) {
        self.directory = directory
        self.simulator = simulator
        self.gateway = gateway
    }

    /// Starts both, without brands; a `quiet` simulator only counts pushes.
    package static func start(quiet: Bool, environment: [String: String] = [:]) async throws -> Installation {
        let directory = try TemporaryDirectory()
        let simulator = try await SimulatorProcess.start(in: directory, quiet: quiet)
        let gateway = try await GatewayProcess.start(
            in: directory,
            trustRoots: simulator.authority,
            environment: [
                "SWITCHBOARD_LOG_LEVEL": "warning",
                // One account and few sessions represent all clients here.
                "SWITCHBOARD_LIMITS_ACCOUNT_REQUESTS_PER_SECOND": "0",
                "SWITCHBOARD_LIMITS_SESSION_REQUESTS_PER_SECOND": "0",
            ].merging(environment) { $1 }
        )
        return Installation(directory: directory, simulator: simulator, gateway: gateway)
    }

    /// Starts both, runs some work with them, and stops them, also after an error; the work may stop the gateway
    /// itself.
    package static func use<Value>(
        quiet: Bool,
        environment: [String: String] = [:],
        _ work: (Installation) async throws -> Value
    ) async throws -> Value {
        let installation = try await start(quiet: quiet, environment: environment)
        let result: Result<Value, any Error>
        do { result = .success(try await work(installation)) } catch { result = .failure(error) }
        await installation.stop()
        return try result.get()
    }

    /// Creates the brand, the iOS app, a service account, and a device for each consumer; returns the value of
    /// `authorization` for the back-end.
    ///
    /// Without `apnsEndpoint` the app uses the simulator.
    package func configure(http: HTTPClient, consumers: Int, apnsEndpoint: String? = nil) async throws -> String {
        try await call(http, "POST", "/v1/brands", #"{"id":"\#(Self.brand)","name":"Bench"}"#)
        let app = try simulator.iOSApp(endpoint: apnsEndpoint)
        try await call(http, "PUT", "/v1/brands/\(Self.brand)/apps/\(Self.iosApp)", app)
        let account = try await call(
            http,
            "POST",
            "/v1/brands/\(Self.brand)/credentials",
            #"{"kind":"serviceAccount","name":"bench","scopes":["events:write","consumers:write","deliveries:read"]}"#
        )
        guard let id = account["id"] as? String, let secret = account["secret"] as? String else {
            throw HarnessError("the gateway returned no service account")
        }
        let basic = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let lanes = 16
            for lane in 0..<lanes {
                group.addTask {
                    for consumer in stride(from: lane, to: consumers, by: lanes) {
                        let device = "device-\(consumer)?consumer=consumer-\(consumer)"
                        try await self.call(
                            http,
                            "PUT",
                            "/v1/brands/\(Self.brand)/apps/\(Self.iosApp)/devices/\(device)",
                            #"{"token":"\#(Self.token(consumer))","pushType":"apns","environment":"production"}"#,
                            authorization: basic
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        return basic
    }

    /// Returns a device token of 32 bytes, in hexadecimal digits, that is unique for the consumer.
    package static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "ab", count: 24) + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Calls the gateway as the operator, or with another `authorization`, requires a 2xx response, and returns its
    /// JSON object, empty when there is none.
    @discardableResult
    package func call(
        _ http: HTTPClient,
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        authorization: String? = nil
    ) async throws -> [String: Any] {
        var request = HTTPClientRequest(url: gateway.url + path)
        request.method = .RAW(value: method)
        request.headers.add(name: "authorization", value: authorization ?? "Bearer \(gateway.adminToken)")
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await http.execute(request, timeout: .seconds(300))
        let bytes = try await response.body.collect(upTo: 16 << 20)
        guard (200..<300).contains(response.status.code) else {
            throw HarnessError("\(method) \(path): \(response.status.code) \(String(buffer: bytes))")
        }
        let data = Data(bytes.readableBytesView)
        return (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:]
    }

    /// Stops both.
    package func stop() async {
        _ = try? await gateway.process.stop(within: .seconds(30))
        _ = try? await simulator.process.stop(within: .seconds(30))
    }
}
