import Cryptography
import Foundation
import GatewayModel
import PushSimulator

/// The apps of a fixture.
enum Apps {
    /// Returns an app of the simulator's team, and one of its service account.
    static func usual(_ simulator: PushSimulator) throws -> [String: AppSettings] {
        ["ios": ios(simulator), "android": android(simulator)]
    }

    /// Returns an app with the simulator's APNs.
    static func ios(_ simulator: PushSimulator, key: P256.PrivateKey? = nil, port: Int? = nil) -> AppSettings {
        let url = "https://localhost:\(port ?? simulator.apns.port)"
        return AppSettings(
            platform: .ios,
            apns: APNsSettings(
                teamId: simulator.credentials.teamID,
                keyId: simulator.credentials.keyID,
                privateKey: (key ?? simulator.credentials.teamKey).pemRepresentation,
                topic: simulator.credentials.topic,
                endpoints: .init(production: url, sandbox: url)
            )
        )
    }

    /// Returns an app with the simulator's FCM.
    static func android(_ simulator: PushSimulator) -> AppSettings {
        AppSettings(
            platform: .android,
            fcm: FCMSettings(
                serviceAccount: .init(
                    projectId: simulator.credentials.projectID,
                    privateKeyId: simulator.credentials.accountKeyID,
                    privateKey: simulator.credentials.accountKey.pemRepresentation,
                    clientEmail: simulator.credentials.accountEmail,
                    tokenUri: "https://localhost:\(simulator.fcm.port)/token"
                ),
                endpoint: "https://localhost:\(simulator.fcm.port)"
            )
        )
    }
}

/// The certificates and keys of all simulators of this process: generating RSA keys is slow.
enum SharedCredentials {
    private static let made: Result<URL, any Error> = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sending-\(UUID().uuidString)")
        _ = try SimulatorCredentials(folder: folder.path)
        return folder
    }

    /// Returns a copy for one simulator, which writes its address into it.
    static func copy(into folder: URL) throws -> String {
        let copy = folder.appendingPathComponent("credentials")
        try FileManager.default.copyItem(at: made.get(), to: copy)
        return copy.path
    }
}
