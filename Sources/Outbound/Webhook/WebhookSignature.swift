import Crypto
package import GatewayModel
import TextFormats

/// Signs a batch (standardwebhooks.com: HMAC-SHA256 of `id.timestamp.body`).
package enum WebhookSignature {
    /// Returns the value of `webhook-signature`: one `v1,` signature for each key, separated by spaces.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - time: The time of the attempt, for `webhook-timestamp`.
    ///   - keys: The keys, newest first.
    /// - Returns: The header's value.
    package static func header(_ batch: WebhookBatch, at time: Timestamp, keys: [[UInt8]]) -> String {
        let signed = Array("\(batch.id).\(time.seconds).".utf8) + batch.body
        return keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
            return "v1," + StrictBase64.encode(Array(code), .standard)
        }.joined(separator: " ")
    }
}
