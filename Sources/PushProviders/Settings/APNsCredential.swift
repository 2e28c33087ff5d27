import Crypto
import GatewayModel

/// The settings of APNs for one environment, checked and parsed.
struct APNsCredential: Sendable {
    /// The team id, `iss` of our tokens.
    let teamID: String
    /// The key id, `kid` of our tokens.
    let keyID: String
    /// The key.
    let key: P256.Signing.PrivateKey
    /// The app's bundle id.
    let topic: String
    /// Where to connect to.
    let endpoint: ProviderEndpoint

    /// Apple's hosts (`providers.md` A1).
    private static func host(_ environment: PushEnvironment) -> String {
        switch environment {
        case .production: "https://api.push.apple.com:443"
        case .sandbox: "https://api.sandbox.push.apple.com:443"
        }
    }

    init(_ settings: APNsSettings, environment: PushEnvironment) throws(PushCredentialError) {
        try Self.check(settings.teamId, "/apns/teamId")
        try Self.check(settings.keyId, "/apns/keyId")
        let topicIsFine =
            !settings.topic.isEmpty && settings.topic.utf8.count <= 256
            && settings.topic.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard topicIsFine else {
            throw PushCredentialError(pointer: "/apns/topic", detail: "must be the app's bundle id")
        }
        teamID = settings.teamId
        topic = settings.topic
        if environment == .sandbox, let sandbox = settings.sandboxKey {
            try Self.check(sandbox.keyId, "/apns/sandboxKey/keyId")
            keyID = sandbox.keyId
            key = try Self.parse(sandbox.privateKey, "/apns/sandboxKey/privateKey")
        } else {
            keyID = settings.keyId
            key = try Self.parse(settings.privateKey, "/apns/privateKey")
        }
        let (own, pointer) =
            switch environment {
            case .production: (settings.endpoints?.production, "/apns/endpoints/production")
            case .sandbox: (settings.endpoints?.sandbox, "/apns/endpoints/sandbox")
            }
        guard let endpoint = ProviderEndpoint(own ?? Self.host(environment)) else {
            throw PushCredentialError(pointer: pointer, detail: "must be https://host:port")
        }
        self.endpoint = endpoint
    }

    private static func check(_ id: String, _ pointer: String) throws(PushCredentialError) {
        let isFine =
            !id.isEmpty && id.utf8.count <= 32
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: false
                }
            }
        guard isFine else {
            throw PushCredentialError(pointer: pointer, detail: "must be Apple's id of 10 letters and digits")
        }
    }

    private static func parse(
        _ pem: String,
        _ pointer: String
    ) throws(PushCredentialError) -> P256.Signing.PrivateKey {
        do {
            return try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            // The error could quote the text; ours never does.
            throw PushCredentialError(
                pointer: pointer,
                detail: "must be a .p8 file: PKCS#8 PEM of a private key on the curve P-256"
            )
        }
    }
}
