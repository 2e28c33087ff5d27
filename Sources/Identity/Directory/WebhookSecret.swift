internal import Cryptography
package import GatewayModel
internal import TextFormats

/// The secret that signs requests to a brand's webhook or decider (standardwebhooks.com): `whsec_` and the key's bytes as base64.
package struct WebhookSecret: Sendable, Equatable {
    /// The length of a key in bytes.
    package static let keyBytes = 24...64
    private static let prefix = "whsec_"

    /// The key.
    package let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    /// Creates a random secret of 32 bytes.
    package init() { key = SecureRandom.bytes(32) }

    /// Parses `whsec_` and 24 to 64 bytes as base64; nil for another form.
    package init?(_ text: String) {
        guard text.hasBytePrefix(Self.prefix),
            let key = StrictBase64.decode(text.utf8.dropFirst(Self.prefix.utf8.count), .standard),
            Self.keyBytes.contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The secret as it is shown, once.
    package var text: String { Self.prefix + StrictBase64.encode(key, .standard) }

    /// Returns the id of a new request, for `webhook-id`: `msg_` and 128 random bits as base64url.
    package static func newMessageID() -> String { "msg_" + StrictBase64.encode(SecureRandom.bytes(16), .url) }

    /// Signs a request: HMAC-SHA256 of `id.timestamp.body`.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - id: The value of `webhook-id`.
    ///   - time: The time of the request; its seconds are the value of `webhook-timestamp`.
    /// - Returns: The value of `webhook-signature`.
    package func signature(of body: [UInt8], id: String, at time: Timestamp) -> String {
        let signed = Array("\(id).\(time.seconds).".utf8) + body
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: key)
        return "v1," + StrictBase64.encode(code, .standard)
    }
}
