import Foundation
import GatewayClient
import PushSimulator

/// The participants of the demonstration: the simulated providers, a gateway's settings, and two phones.
struct DemoEnvironment: Sendable {
    /// The gateway's settings as environment variables: a temporary directory, a free port, the simulator's authority.
    let settings: [String: String]
    /// The gateway's admin token: secret.
    let adminToken: String
    /// The iPhone's APNs token.
    let apnsToken: String
    /// The Android phone's FCM token.
    let fcmToken: String

    private let simulator: PushSimulator
    private let directory: String

    /// Starts the simulated providers.
    ///
    /// - Returns: The environment, which must be stopped.
    /// - Throws: ``CommandFailure``.
    static func start() async throws -> DemoEnvironment {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "switchboard-demo-\(UUID().uuidString.lowercased())").path()
        do {
            for path in [directory, directory + "/data"] {
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            // The gateway would create it too, and report where it is.
            let adminToken = randomDigits()
            guard
                FileManager.default.createFile(
                    atPath: directory + "/data/admin-token",
                    contents: Data(adminToken.utf8),
                    attributes: [.posixPermissions: 0o600]
                )
            else { throw CocoaError(.fileWriteUnknown) }
            var configuration = SimulatorConfiguration()
            configuration.certificates = directory + "/keys"
            let simulator = try await PushSimulator.start(configuration)
            return DemoEnvironment(simulator: simulator, directory: directory, adminToken: adminToken)
        } catch {
            try? FileManager.default.removeItem(atPath: directory)
            throw CommandFailure(.failure, "the demonstration cannot start in \(directory): \(error)")
        }
    }

    private init(simulator: PushSimulator, directory: String, adminToken: String) {
        self.simulator = simulator
        self.directory = directory
        self.adminToken = adminToken
        settings = [
            "SWITCHBOARD_SERVER_LISTEN": "127.0.0.1:0",
            "SWITCHBOARD_SERVER_DATA_DIR": directory + "/data",
            // Webhooks in the demonstration are on this host.
            "SWITCHBOARD_OUTGOING_ALLOW_LOOPBACK": "true",
            "SWITCHBOARD_PROVIDER_TRUST_ROOTS": simulator.credentials.authorityFile,
            // Its data is temporary.
            "SWITCHBOARD_DELIVERY_DRAIN_DEADLINE_SECONDS": "5",
            "SWITCHBOARD_LOG_LEVEL": "warning",
            "SWITCHBOARD_LOG_FORMAT": "text",
        ]
        apnsToken = Self.randomDigits()
        fcmToken = "demo-pixel-1:APA91b" + UUID().uuidString.replacing("-", with: "").lowercased()
    }

    /// Returns 32 random bytes as hexadecimal digits.
    private static func randomDigits() -> String {
        (0..<32).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
    }

    /// Stops the providers and removes the temporary directory.
    func stop() async {
        await simulator.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The URL of the simulated APNs.
    var apnsURL: String { "https://\(simulator.apns)" }

    /// The URL of the simulated FCM.
    var fcmURL: String { "https://\(simulator.fcm)" }

    /// The URL of the simulator's control port.
    var controlURL: String { simulator.control.map { "http://\($0)" } ?? "" }

    /// The number of the last push that a provider received.
    var lastPush: Int { simulator.log.lastNumber }

    /// The settings of the iOS app, with the key that the simulator generated.
    var iOSApp: GatewayClient.JSONValue {
        get throws {
            let keys = simulator.credentials
            let privateKey = try JSONFile.readText(keys.teamKeyFile)
            return [
                "platform": "ios",
                "apns": [
                    "teamId": .string(keys.teamID), "keyId": .string(keys.keyID), "topic": .string(keys.topic),
                    "privateKey": .string(privateKey),
                    "endpoints": ["production": .string(apnsURL), "sandbox": .string(apnsURL)],
                ],
            ]
        }
    }

    /// The settings of the Android app, with the service account that the simulator generated.
    var androidApp: GatewayClient.JSONValue {
        get throws {
            let account = try JSONFile.read(simulator.credentials.serviceAccountFile)
            return ["platform": "android", "fcm": ["serviceAccount": account, "endpoint": .string(fcmURL)]]
        }
    }

    /// Waits for pushes.
    ///
    /// - Parameters:
    ///   - count: The number of pushes to wait for.
    ///   - number: Pushes up to this number are skipped.
    /// - Returns: The pushes, by provider.
    /// - Throws: ``CommandFailure`` when they do not arrive within 15 seconds.
    func pushes(_ count: Int, after number: Int) async throws -> [DemoPush] {
        guard await simulator.log.wait(forNumber: number + count, within: .seconds(15)) else {
            let got = lastPush - number
            throw CommandFailure(.failure, "the demonstration failed: \(got) of \(count) pushes arrived within 15 s")
        }
        return simulator.log.pushes(after: number).map(DemoPush.init).sorted { $0.provider < $1.provider }
    }

    /// Returns commands to try next, ready to paste.
    ///
    /// - Parameters:
    ///   - server: The gateway's URL.
    ///   - outcome: The credentials that the demonstration created.
    ///   - programs: The directory of the program `switchboard`.
    /// - Returns: The text.
    func hints(server: String, outcome: DemoScenario.Outcome, programs: String) -> String {
        let keys = simulator.credentials
        let control = controlURL
        return """

            All steps succeeded. Gateway and simulators run until Ctrl-C. Another agent message:

              curl -u '\(outcome.backend)' \(server)/v1/brands/demo/events -H 'Content-Type: application/json' \\
                -d '{"id":"evt-3","type":"agent.message","consumer":"u-1","conversation":"c-9","text":"Hello again"}'

            The pushes of the phones, the unread count, the operator's view of deliveries:

              curl '\(control)/pushes'
              curl \(server)/v1/brands/demo/unread -H 'Authorization: Bearer \(outcome.session)'
              curl '\(server)/v1/brands/demo/deliveries' -H "Authorization: Bearer $(cat \(directory)/data/admin-token)"

            Make APNs report every token as unregistered, and send again:

              curl -X PUT '\(control)/rules' -d '[{"match":{"provider":"apns"},"do":{"status":410,"reason":"Unregistered"}}]'

            For the examples of Sources/switchboard/Documentation.docc/GettingStarted.md:

              export SERVER=\(server) ADMIN=$(cat \(directory)/data/admin-token) KEYS=\(keys.folder)
              export APNS=\(apnsURL) APNS_TEAM=\(keys.teamID) APNS_KEY=\(keys.keyID) APNS_TOPIC=\(keys.topic)
              export APNS_DEVICE=\(String(apnsToken.reversed())) FCM=\(fcmURL) CONTROL=\(control)
              export PATH="\(programs):$PATH"
            """
    }
}
