/// A name or keyword that was received from outside: a member of a JSON object, a header's keyword, one value of a closed
/// set.
///
/// It has at most 256 bytes and is compared, ordered and hashed as bytes. Swift compares and hashes a `String` by its
/// Unicode normalisation (UAX #15), which takes time quadratic in the number of combining marks in a row, so that one
/// request could occupy a core for minutes; and two texts of different bytes would be one name.
@usableFromInline
package struct BoundedName: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The upper bound of a name's length, in bytes of UTF-8.
    @usableFromInline
    package static let maxBytes = 256

    /// The name as it was received.
    @usableFromInline
    package let text: String

    /// Takes a name from outside; nil when it is longer than ``maxBytes``.
    ///
    /// - Parameter text: The name as received.
    @inlinable
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        self.text = String(text)
    }

    /// Takes a name whose ASCII letters count alike in either case, as those of HTTP do (RFC 9110 section 5.1); nil when it
    /// is longer than ``maxBytes``.
    ///
    /// - Parameter text: The name as received; `A` to `Z` are turned to lower case, everything else stays.
    @inlinable
    package init?(lowercasing text: some StringProtocol) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        self.text = String(decoding: text.utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Takes a name of our own, such as the raw value of an enumeration.
    ///
    /// - Parameter text: At most ``maxBytes`` bytes.
    @inlinable
    package init(known text: String) {
        precondition(text.utf8.count <= Self.maxBytes)
        self.text = text
    }

    /// Takes a name of our own.
    ///
    /// - Parameter value: At most ``maxBytes`` bytes.
    @inlinable
    package init(stringLiteral value: String) { self.init(known: value) }

    /// The name as it was received.
    @inlinable
    package var description: String { text }

    /// Compares the bytes.
    ///
    /// - Parameters:
    ///   - lhs: The first name.
    ///   - rhs: The second name.
    /// - Returns: True when they are the same bytes.
    @inlinable
    package static func == (lhs: BoundedName, rhs: BoundedName) -> Bool { lhs.text.hasSameBytes(as: rhs.text) }

    /// Orders by the bytes.
    ///
    /// - Parameters:
    ///   - lhs: The first name.
    ///   - rhs: The second name.
    /// - Returns: True when the first sorts before the second.
    @inlinable
    package static func < (lhs: BoundedName, rhs: BoundedName) -> Bool {
        lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
    }

    /// Hashes the bytes.
    ///
    /// - Parameter hasher: Takes them.
    @inlinable
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No name is the beginning of this one and what is hashed next.
        hasher.combine(0xFF as UInt8)
    }
}

extension RawRepresentable where RawValue == String, Self: CaseIterable {
    /// The value that a text from outside names, compared as bytes; nil when it names none.
    ///
    /// For texts of any length, in place of `init(rawValue:)`, which compares by normalisation; of ASCII, which is its own
    /// normal form, that compares bytes.
    ///
    /// - Parameter word: The text as received.
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
