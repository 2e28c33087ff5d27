internal import TextFormats

/// The secret that signs a brand's webhook (standardwebhooks.com): `whsec_` and the key's bytes as base64.
package struct WebhookSecret: Sendable, Equatable {
    /// The length of a key in bytes.
    package static let keyBytes = 24...64
    private static let prefix = "whsec_"

    /// The key.
    package let key: [UInt8]

    /// Creates a random secret of 32 bytes.
    package init() { key = SecureRandom.bytes(32) }

    /// Parses a secret; nil when it has another form.
    ///
    /// - Parameter text: `whsec_` and 24 to 64 bytes as base64.
    package init?(_ text: String) {
        guard text.hasBytePrefix(Self.prefix),
            let key = StrictBase64.decode(text.utf8.dropFirst(Self.prefix.utf8.count), .standard),
            Self.keyBytes.contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The secret as it is shown, once.
    package var text: String { Self.prefix + StrictBase64.encode(key, .standard) }
}
