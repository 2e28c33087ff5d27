import Crypto
import CryptoExtras
import Foundation
import GatewayModel
import PushSimulator

/// The apps of a site.
enum Apps {
    /// One of the simulator's team, and one of its service account.
    static func usual(_ simulator: PushSimulator) throws -> [String: AppSettings] {
        ["ios": ios(simulator), "android": android(simulator)]
    }

    /// Pushes by the simulator's APNs.
    static func ios(_ simulator: PushSimulator, key: P256.Signing.PrivateKey? = nil, port: Int? = nil) -> AppSettings {
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

    /// Pushes by the simulator's FCM.
    static func android(_ simulator: PushSimulator) -> AppSettings {
        AppSettings(
            platform: .android,
            fcm: FCMSettings(
                serviceAccount: .init(
                    projectId: simulator.credentials.projectID,
                    privateKeyId: simulator.credentials.accountKeyID,
                    privateKey: simulator.credentials.accountKey.pkcs8PEMRepresentation,
                    clientEmail: simulator.credentials.accountEmail,
                    tokenUri: "https://localhost:\(simulator.fcm.port)/token"
                ),
                endpoint: "https://localhost:\(simulator.fcm.port)"
            )
        )
    }
}

/// Certificates and keys of all simulators of this process: RSA keys take a while to make.
enum SharedCredentials {
    private static let made: Result<URL, any Error> = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sending-\(UUID().uuidString)")
        _ = try SimulatorCredentials(folder: folder.path)
        return folder
    }

    /// A copy of its own for one simulator, which writes its address into it.
    static func copy(into folder: URL) throws -> String {
        let copy = folder.appendingPathComponent("credentials")
        try FileManager.default.copyItem(at: made.get(), to: copy)
        return copy.path
    }
}
