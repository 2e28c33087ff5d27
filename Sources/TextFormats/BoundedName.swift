/// A name or keyword that was received from outside: a member of a JSON object, a header's keyword, one value of a closed
/// set.
///
/// It has at most 256 bytes and is compared, ordered and hashed as bytes. Swift compares and hashes a `String` by its
/// Unicode normalisation (UAX #15). That takes time quadratic in the number of combining marks in a row, so that one
/// request could occupy a core for minutes; and two texts of different bytes would be one name.
@usableFromInline
package struct BoundedName: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The upper bound of a name's length, in bytes of UTF-8.
    @usableFromInline
    package static let maxBytes = 256

    /// The name as it was received.
    @usableFromInline
    package let text: String

    /// Its first eight bytes, big-endian, padded with zeros; they distinguish most names.
    @usableFromInline
    let head: UInt64

    /// Creates a name from bytes that are few enough.
    @inlinable @inline(__always)
    init(short text: String) {
        var text = text
        head = text.withUTF8(Self.head)
        self.text = text
    }

    @inlinable @inline(__always)
    static func head(of text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let (bytes, count) = (UnsafeRawBufferPointer(text), text.count)
        if count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        guard count > 0 else { return 0 }
        // The last bytes are read again where they overlap the first ones, which is faster than a loop.
        if count >= 4 {
            let first = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
            let last = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            return UInt64(first) &<< 32 | UInt64(last) &<< (64 &- 8 &* count)
        }
        let (first, middle, last) = (UInt64(bytes[0]), UInt64(bytes[count &>> 1]), UInt64(bytes[count &- 1]))
        return first &<< 56 | middle &<< (56 &- 8 &* (count &>> 1)) | last &<< (64 &- 8 &* count)
    }

    /// Creates a name from received text; nil when it is longer than ``maxBytes``.
    @inlinable
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        self.init(short: text)
    }

    /// Creates a name from a part of received text; nil when it is longer than ``maxBytes``.
    @inlinable
    package init?(_ text: Substring) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        self.init(short: String(text))
    }

    /// Creates a name whose ASCII letters are case-insensitive and become lower case, as in HTTP (RFC 9110 section
    /// 5.1); nil when it is longer than ``maxBytes``.
    @inlinable
    package init?(lowercasing text: some StringProtocol) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        self.init(short: String(decoding: text.utf8.map(\.asciiLowercased), as: UTF8.self))
    }

    /// Creates a name of at most ``maxBytes`` bytes that the code defines, such as the raw value of an enumeration.
    @inlinable
    package init(known text: String) {
        precondition(text.utf8.count <= Self.maxBytes)
        self.init(short: text)
    }

    /// Creates a name of at most ``maxBytes`` bytes that the code defines.
    @inlinable
    package init(stringLiteral value: String) { self.init(known: value) }

    /// The name as it was received.
    @inlinable
    package var description: String { text }

    /// Compares the bytes.
    @inlinable
    package static func == (lhs: BoundedName, rhs: BoundedName) -> Bool {
        let count = lhs.text.utf8.count
        guard lhs.head == rhs.head, count == rhs.text.utf8.count else { return false }
        return count <= 8 || lhs.text.hasSameBytes(as: rhs.text)
    }

    /// Whether the name is a text's bytes, of which ``head(of:)`` is known.
    @inline(__always)
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>, head: UInt64) -> Bool {
        guard self.head == head, text.utf8.count == bytes.count else { return false }
        var text = text
        return bytes.count <= 8 || text.withUTF8 { areSameBytes($0, bytes) }
    }

    /// Orders by the bytes.
    @inlinable
    package static func < (lhs: BoundedName, rhs: BoundedName) -> Bool {
        lhs.head == rhs.head ? lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8) : lhs.head < rhs.head
    }

    /// Hashes the bytes.
    @inlinable
    package func hash(into hasher: inout Hasher) {
        hasher.combine(head)
        guard text.utf8.count > 8 else { return }
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No name is a prefix of this one and what is hashed next.
        hasher.combine(0xFF as UInt8)
    }
}

extension RawRepresentable where RawValue == String, Self: CaseIterable {
    /// The case that received text names, compared as bytes; nil when it names none.
    ///
    /// For texts of any length, in place of `init(rawValue:)`, which compares by normalisation. ASCII is its own normal
    /// form, so that this compares bytes.
    @inlinable
    package init?(word: String) {
        if word.utf8.count <= BoundedName.maxBytes, word.isASCII {
            self.init(rawValue: word)
        } else {
            guard let value = Self.allCases.first(where: { word.hasSameBytes(as: $0.rawValue) }) else { return nil }
            self = value
        }
    }
}
