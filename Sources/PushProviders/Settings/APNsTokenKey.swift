import Cryptography
import GatewayModel

/// The key of an app's provider tokens for one environment, checked and parsed.
struct APNsTokenKey: Sendable {
    /// The team id, `iss` of our tokens.
    let teamID: String
    /// The key id, `kid` of our tokens.
    let keyID: String
    /// The key.
    let key: P256.PrivateKey

    init(_ settings: APNsTokenSettings, environment: PushEnvironment) throws(PushCredentialError) {
        try Self.check(settings.teamId, "/apns/teamId")
        try Self.check(settings.keyId, "/apns/keyId")
        teamID = settings.teamId
        if environment == .sandbox, let sandbox = settings.sandboxKey {
            try Self.check(sandbox.keyId, "/apns/sandboxKey/keyId")
            keyID = sandbox.keyId
            key = try Self.parse(sandbox.privateKey, "/apns/sandboxKey/privateKey")
        } else {
            keyID = settings.keyId
            key = try Self.parse(settings.privateKey, "/apns/privateKey")
        }
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
    ) throws(PushCredentialError) -> P256.PrivateKey {
        do {
            return try P256.PrivateKey(pemRepresentation: pem)
        } catch {
            // The original error could quote the key; this one does not.
            throw PushCredentialError(
                pointer: pointer,
                detail: "must be a .p8 file: PKCS#8 PEM of a private key on the curve P-256"
            )
        }
    }
}
