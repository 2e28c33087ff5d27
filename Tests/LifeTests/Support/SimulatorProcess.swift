import Foundation
import Testing

@testable import switchboard

/// A real `push-simulator` on free ports of the loopback address.
struct SimulatorProcess {
    let process: ChildProcess
    /// `https://host:port` of simulated APNs.
    let apns: String
    /// `https://host:port` of simulated FCM.
    let fcm: String
    /// Speaks its control port.
    let control: APIClient
    /// The directory of its certificates and credentials.
    let keys: String

    /// Starts one and waits until it is ready.
    ///
    /// - Parameters:
    ///   - directory: Where its credentials are kept.
    ///   - apnsPort: APNs' port; 0 takes a free one.
    ///   - environment: Variables for it.
    /// - Returns: The simulator.
    /// - Throws: When it ends instead.
    static func start(in directory: TemporaryDirectory, apnsPort: Int = 0, environment: [String: String] = [:])
        async throws -> SimulatorProcess
    {
        let keys = directory.path("keys")
        let process = try ChildProcess(
            "push-simulator",
            [
                "--apns", "127.0.0.1:\(apnsPort)", "--fcm", "127.0.0.1:0", "--control", "127.0.0.1:0",
                "--certificates", keys,
            ],
            environment: environment
        )
        let apns = try await process.line("apns listening on ")
        let fcm = try await process.line("fcm listening on ")
        let control = try await process.line("control listening on ")
        _ = try await process.line("ready")
        return SimulatorProcess(
            process: process,
            apns: "https://\(apns)",
            fcm: "https://\(fcm)",
            control: APIClient(server: control),
            keys: keys
        )
    }

    /// The authority that clients must trust.
    var authority: String { keys + "/ca.pem" }

    /// What belongs to its APNs key: `teamId`, `keyId`, `topic`.
    func team() throws -> JSONValue { try JSONFile.read(keys + "/apns-key.json") }

    /// An iOS app that pushes through it.
    func iOSApp() throws -> JSONValue {
        let team = try team()
        let key = try String(contentsOfFile: keys + "/apns-key.p8", encoding: .utf8)
        return [
            "platform": "ios",
            "apns": [
                "teamId": team["teamId"], "keyId": team["keyId"], "topic": team["topic"], "privateKey": .string(key),
                "endpoints": ["production": .string(apns), "sandbox": .string(apns)],
            ],
        ]
    }

    /// An Android app that pushes through it.
    func androidApp() throws -> JSONValue {
        let account = try JSONFile.read(keys + "/service-account.json")
        return ["platform": "android", "fcm": ["serviceAccount": account, "endpoint": .string(fcm)]]
    }

    /// Waits for pushes.
    ///
    /// - Parameter count: How many must have come since its start.
    /// - Returns: All of them.
    /// - Throws: When they do not come in time.
    func pushes(_ count: Int) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        for _ in 0..<10 {
            let after = items.last?["number"].integer ?? 0
            let query = [("after", String(after)), ("waitSeconds", "3")]
            let answer = try await control.call("GET", ["pushes"], query: query)
            items += answer.body["pushes"].items
            if items.count >= count { return items }
        }
        throw ChildProcess.Failure(description: "\(items.count) of \(count) pushes came")
    }
}
