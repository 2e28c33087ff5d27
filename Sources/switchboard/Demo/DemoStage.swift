import Foundation
import GatewayClient
import Logging
import PushSimulator
import Telemetry

/// The participants of the demonstration: the simulated providers, a gateway's settings, and two phones.
struct DemoStage: Sendable {
    /// The gateway's settings: a temporary directory, a free port, the simulator's authority.
    let settings: GatewaySettings
    /// A logger that writes only warnings and errors.
    let logger: Logger
    /// The iPhone's APNs token.
    let apnsToken: String
    /// The Android phone's FCM token.
    let fcmToken: String

    private let simulator: PushSimulator
    private let directory: String

    /// Starts the simulated providers.
    ///
    /// - Returns: The stage, which must be stopped.
    /// - Throws: ``CommandFailure``.
    static func start() async throws -> DemoStage {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "switchboard-demo-\(UUID().uuidString.lowercased())").path()
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            var configuration = SimulatorConfiguration()
            configuration.certificates = directory + "/keys"
            let simulator = try await PushSimulator.start(configuration)
            return DemoStage(simulator: simulator, directory: directory)
        } catch {
            throw CommandFailure(.failure, "the demonstration cannot start in \(directory): \(error)")
        }
    }

    private init(simulator: PushSimulator, directory: String) {
        self.simulator = simulator
        self.directory = directory
        var settings = GatewaySettings()
        settings.server.listen = ListenAddress(host: "127.0.0.1", port: 0)
        settings.server.dataDir = directory + "/data"
        // Webhooks in the demonstration are on this host.
        settings.outgoing.allowsLoopback = true
        settings.provider.trustRoots = simulator.credentials.authorityFile
        settings.log.format = .text
        self.settings = settings
        logger = settings.log.logger("switchboard", threshold: LogThreshold(.warning))
        apnsToken = (0..<32).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
        fcmToken = "demo-pixel-1:APA91b" + UUID().uuidString.replacing("-", with: "").lowercased()
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

    /// Reads the gateway's admin token.
    ///
    /// - Returns: The token.
    /// - Throws: ``CommandFailure``.
    func adminToken() throws -> String {
        try JSONFile.readText(DataDirectory(settings: settings).adminTokenPath)
            .trimmingCharacters(in: .whitespacesAndNewlines)
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
    /// - Returns: The text.
    func hints(server: String, outcome: DemoStory.Outcome) -> String {
        let keys = simulator.credentials
        let control = simulator.control.map { "http://\($0)" } ?? ""
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
              export PATH="\(URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path()):$PATH"
            """
    }
}
