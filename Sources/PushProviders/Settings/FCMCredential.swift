import Cryptography
import FoundationEssentials
import GatewayModel

/// The settings of FCM, checked and parsed.
struct FCMCredential: Sendable {
    /// The service account that obtains access tokens.
    let account: ServiceAccountKey
    /// The Firebase project.
    let projectID: String
    /// The message style for Android devices and browsers.
    let style: FCMSettings.Style
    /// The endpoint to connect to.
    let endpoint: ProviderEndpoint

    init(_ settings: FCMSettings) throws(PushCredentialError) {
        let account = settings.serviceAccount
        let base = "/fcm/serviceAccount"
        let projectIsFine =
            !account.projectId.isEmpty && account.projectId.utf8.count <= 128
            && account.projectId.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
        guard projectIsFine else {
            throw PushCredentialError(pointer: base + "/project_id", detail: "must be the id of a Firebase project")
        }
        guard !account.clientEmail.isEmpty, account.clientEmail.utf8.count <= 512 else {
            throw PushCredentialError(pointer: base + "/client_email", detail: "must be the service account's address")
        }
        guard Self.isTokenEndpoint(account.tokenUri) else {
            throw PushCredentialError(
                pointer: base + "/token_uri",
                detail: "must be an https URL (plain http only to loopback)"
            )
        }
        let key: RSA.PrivateKey
        do {
            // Rejects keys below 2048 bits, as RFC 7518 section 3.3 requires.
            key = try RSA.PrivateKey(pemRepresentation: account.privateKey)
        } catch {
            throw PushCredentialError(
                pointer: base + "/private_key",
                detail: "must be PEM of an RSA private key of 2048 bits or more"
            )
        }
        guard let endpoint = ProviderEndpoint(settings.endpoint ?? "https://fcm.googleapis.com:443") else {
            throw PushCredentialError(pointer: "/fcm/endpoint", detail: "must be https://host:port")
        }
        self.account = ServiceAccountKey(
            email: account.clientEmail,
            keyID: account.privateKeyId,
            tokenEndpoint: account.tokenUri,
            key: key
        )
        projectID = account.projectId
        style = settings.style ?? .notification
        self.endpoint = endpoint
    }

    private static func isTokenEndpoint(_ text: String) -> Bool {
        guard text.utf8.count <= 1024, let url = URL(string: text), let host = url.host, !host.isEmpty else {
            return false
        }
        switch url.scheme?.lowercased() {
        case "https": return true
        case "http": return ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        default: return false
        }
    }
}
