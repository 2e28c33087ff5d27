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

    /// Starts a simulator and waits until it is ready; its credentials are in `keys` of the directory.
    ///
    /// Port 0 chooses a free one. A `quiet` simulator only counts pushes. `options` are further ones of the program,
    /// for example `["--round-trip-ms", "80"]`.
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

    /// The path of the authority that clients must trust.
    package var authority: String { keys + "/ca.pem" }

    /// Reads the credentials that its APNs accepts.
    package func identity() throws -> SimulatorIdentity { try SimulatorIdentity(keys: keys) }

    /// Returns the body of `PUT .../apps/{app}` of an iOS app with this simulator as its provider, or another
    /// `endpoint`.
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

    /// Returns the body of `PUT .../apps/{app}` of an Android app with this simulator as its provider.
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
