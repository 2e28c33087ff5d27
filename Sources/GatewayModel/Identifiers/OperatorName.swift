internal import TextFormats

/// The name of an operator's account.
package struct OperatorName: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// The beginning of the names of accounts that the operators' identity provider vouches for; no other has it.
    package static let providerPrefix = "oidc:"

    /// Whether the account belongs to somebody who signs in at the identity provider.
    package var isOfProvider: Bool { rawValue.hasBytePrefix(Self.providerPrefix) }

    /// Returns whether a string is at most 128 bytes of `[A-Za-z0-9._@+-]`, so that it can be an email address; a path
    /// of the API has the name `session`.
    ///
    /// After ``providerPrefix`` it may have a tilde, too.
    package static func isValid(_ rawValue: String) -> Bool {
        let isOfProvider = rawValue.hasBytePrefix(providerPrefix)
        let own = isOfProvider ? rawValue.utf8.dropFirst(providerPrefix.utf8.count) : rawValue.utf8[...]
        return rawValue.utf8.count <= 128 && !own.isEmpty && !rawValue.hasSameBytes(as: "session")
            && own.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
                    UInt8(ascii: "+"), UInt8(ascii: "-"):
                    true
                case UInt8(ascii: "~"): isOfProvider
                default: false
                }
            }
    }
}
