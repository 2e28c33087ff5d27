internal import TextFormats

/// The name of an operator's account.
package struct OperatorName: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// Returns whether a string is at most 128 bytes of `[A-Za-z0-9._@+-]`, so that it can be an email address; a path
    /// of the API has the name `session`.
    package static func isValid(_ rawValue: String) -> Bool {
        (1...128).contains(rawValue.utf8.count) && !rawValue.hasSameBytes(as: "session")
            && rawValue.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
                    UInt8(ascii: "+"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
