import Cryptography
package import GatewayModel
import TextFormats

/// Signs a request (standardwebhooks.com: HMAC-SHA256 of `id.timestamp.body`).
package enum WebhookSignature {
    /// Returns the header fields of a signed request: its id, its time, and one `v1,` signature for each key, separated
    /// by spaces.
    ///
    /// - Parameters:
    ///   - id: The value of `webhook-id`.
    ///   - body: The body.
    ///   - time: The time of the attempt, for `webhook-timestamp`.
    ///   - keys: The keys, newest first.
    /// - Returns: The fields.
    package static func headers(
        id: String,
        body: [UInt8],
        at time: Timestamp,
        keys: [[UInt8]]
    ) -> [(name: String, value: String)] {
        let signed = Array("\(id).\(time.seconds).".utf8) + body
        let signatures = keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: key)
            return "v1," + StrictBase64.encode(code, .standard)
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(time.seconds)),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
