internal import TextFormats

/// An identifier from outside the gateway; each kind has its own type, so that a device id is never taken for a
/// consumer id.
///
/// Its format (APIConventions page) is 1 to 256 bytes of UTF-8 without control characters; brand and app ids are
/// narrower.
package protocol GatewayIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The identifier as received.
    var rawValue: String { get }

    /// Creates an identifier from a string that passes ``isValid(_:)``, for example because it was read from the store;
    /// it is not checked again.
    init(trusted rawValue: String)

    /// Returns whether a string has the format of this kind of identifier.
    static func isValid(_ rawValue: String) -> Bool
}

extension GatewayIdentifier {
    /// Validates a string from outside; nil when it does not have the format of this kind.
    package init?(_ rawValue: String) {
        guard Self.isValid(rawValue) else { return nil }
        self.init(trusted: rawValue)
    }

    /// Returns whether a string is 1 to 256 bytes of UTF-8 without control characters (C0, DEL and C1).
    package static func isValid(_ rawValue: String) -> Bool {
        var rawValue = rawValue
        return rawValue.withUTF8 { bytes in
            guard bytes.count >= 1, bytes.count <= 256 else { return false }
            var previous: UInt8 = 0
            for byte in bytes {
                // C1 controls are U+0080 to U+009F: C2 80 to C2 9F in UTF-8.
                if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
                previous = byte
            }
            return true
        }
    }

    /// The identifier itself.
    package var description: String { rawValue }

    /// Orders by the bytes of the identifier.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue.utf8.lexicographicallyPrecedes(rhs.rawValue.utf8)
    }

    /// Compares the bytes, as the store does: in Swift, canonically equivalent strings are equal, and two consumers
    /// would become one.
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue.hasSameBytes(as: rhs.rawValue) }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A terminator, so that no identifier is a prefix of this one together with the next hashed value.
        hasher.combine(0xFF as UInt8)
    }

    /// Returns whether a string is at most 64 bytes of `[A-Za-z0-9._-]`, the narrower format of brand and app ids.
    static func isName(_ rawValue: String) -> Bool {
        var rawValue = rawValue
        return rawValue.withUTF8 { bytes in
            (1...64).contains(bytes.count)
                && bytes.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}
