import Foundation

/// A real `push-simulator` on the loopback address.
package struct SimulatorProcess: Sendable {
    /// The process.
    package let process: ChildProcess
    /// `https://host:port` of simulated APNs.
    package let apns: String
    /// `https://host:port` of simulated FCM.
    package let fcm: String
    /// `http://host:port` of its control port.
    package let control: String
    /// The directory of its certificates and credentials.
    package let keys: String

    /// Starts one and waits until it is ready.
    ///
    /// - Parameters:
    ///   - directory: Its credentials are in `keys` below it.
    ///   - apnsPort: APNs' port; 0 takes a free one.
    ///   - quiet: Whether it only counts pushes.
    ///   - options: Further options of the program, for example `["--round-trip-ms", "80"]`.
    ///   - environment: Variables for it.
    /// - Returns: The simulator.
    /// - Throws: ``HarnessError`` when it ends instead.
    package static func start(
        in directory: TemporaryDirectory,
        apnsPort: Int = 0,
        quiet: Bool = false,
        options: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> SimulatorProcess {
        let keys = directory.path("keys")
        let process = try ChildProcess(
            "push-simulator",
            [
                "--apns", "127.0.0.1:\(apnsPort)", "--fcm", "127.0.0.1:0", "--control", "127.0.0.1:0",
                "--certificates", keys,
            ] + (quiet ? ["--quiet"] : []) + options,
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
            control: control,
            keys: keys
        )
    }

    /// The authority that clients must trust.
    package var authority: String { keys + "/ca.pem" }

    /// Whom its APNs accepts.
    ///
    /// - Returns: Team, key and topic.
    /// - Throws: When its file is not as expected.
    package func identity() throws -> SimulatorIdentity { try SimulatorIdentity(keys: keys) }

    /// The body of `PUT .../apps/{app}` of an iOS app that pushes through it.
    ///
    /// - Parameter endpoint: In place of its own address, for pushes that must go elsewhere.
    /// - Returns: A JSON object.
    /// - Throws: When its files are not as expected.
    package func iOSApp(endpoint: String? = nil) throws -> String {
        let identity = try identity()
        let address = endpoint ?? apns
        return try Self.json([
            "platform": "ios",
            "apns": [
                "teamId": identity.teamID, "keyId": identity.keyID, "topic": identity.topic,
                "privateKey": identity.privateKey, "endpoints": ["production": address, "sandbox": address],
            ] as [String: Any],
        ])
    }

    /// The body of `PUT .../apps/{app}` of an Android app that pushes through it.
    ///
    /// - Returns: A JSON object.
    /// - Throws: When its files are not as expected.
    package func androidApp() throws -> String {
        let account = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(filePath: keys + "/service-account.json"))
        )
        return try Self.json(["platform": "android", "fcm": ["serviceAccount": account, "endpoint": fcm]])
    }

    private static func json(_ object: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
}
