/// Percent-encoding (RFC 3986 section 2.1).
@usableFromInline
package enum PercentEncoding {
    /// The bytes that are not escaped; ASCII letters, digits, `-`, `.` and `_` never are.
    @usableFromInline
    package enum Form: Sendable {
        /// Part of a path or of a query: `~` is not escaped either, so that all unreserved characters stay (RFC 3986
        /// section 2.3).
        case component
        /// A segment of a path: `~` and `:` are not escaped either.
        case segment
        /// A name or value of `application/x-www-form-urlencoded` (RFC 6749 appendix B): `*` is not escaped either, and
        /// a space is `+`.
        case form
    }

    /// Encodes a text.
    ///
    /// - Parameters:
    ///   - text: Any bytes.
    ///   - form: Their place.
    ///   - prefix: The text before it, already encoded.
    ///   - suffix: The text after it, already encoded.
    /// - Returns: The prefix, the encoded text and the suffix.
    @inlinable
    package static func encode(
        _ text: some Collection<UInt8>,
        _ form: Form,
        prefix: StaticString = "",
        suffix: StaticString = ""
    ) -> String {
        let encoded = text.withContiguousStorageIfAvailable { encode(contiguous: $0, form, prefix, suffix) }
        return encoded ?? Array(text).withUnsafeBufferPointer { encode(contiguous: $0, form, prefix, suffix) }
    }

    @usableFromInline
    static func encode(
        contiguous text: UnsafeBufferPointer<UInt8>,
        _ form: Form,
        _ prefix: StaticString,
        _ suffix: StaticString
    ) -> String {
        let capacity = prefix.utf8CodeUnitCount + text.count * 3 + suffix.utf8CodeUnitCount
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            var count = 0
            func put(_ byte: UInt8) {
                buffer[count] = byte
                count += 1
            }
            for index in 0..<prefix.utf8CodeUnitCount { put(prefix.utf8Start[index]) }
            for byte in text {
                if let character = character(for: byte, form) {
                    put(character)
                } else {
                    put(UInt8(ascii: "%"))
                    put(Hexadecimal.upperCaseDigit(byte >> 4))
                    put(Hexadecimal.upperCaseDigit(byte & 0xF))
                }
            }
            for index in 0..<suffix.utf8CodeUnitCount { put(suffix.utf8Start[index]) }
            return count
        }
    }

    /// Returns the one character that a byte is written as; nil when it is escaped.
    private static func character(for byte: UInt8, _ form: Form) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            byte
        case UInt8(ascii: "~"): form == .form ? nil : byte
        case UInt8(ascii: ":"): form == .segment ? byte : nil
        case UInt8(ascii: "*"): form == .form ? byte : nil
        case UInt8(ascii: " "): form == .form ? UInt8(ascii: "+") : nil
        default: nil
        }
    }

    /// Decodes a received segment of a path, or a name or value of a query, exactly once; a `+` is one.
    ///
    /// - Returns: Nil when a `%` is not followed by two digits or the bytes are not UTF-8.
    package static func decode(_ text: Substring) -> String? {
        text.utf8.contains(UInt8(ascii: "%")) ? decode(text.utf8, .component) : String(text)
    }

    /// Decodes a received text, exactly once.
    ///
    /// - Parameters:
    ///   - text: The text as received.
    ///   - form: Its place; only in a form `+` is a space.
    /// - Returns: The text; nil when a `%` is not followed by two digits or the bytes are not UTF-8.
    @inlinable
    package static func decode(_ text: some Collection<UInt8>, _ form: Form) -> String? {
        let decoded = text.withContiguousStorageIfAvailable { decode(contiguous: $0, form) }
        return decoded ?? Array(text).withUnsafeBufferPointer { decode(contiguous: $0, form) }
    }

    @usableFromInline
    static func decode(contiguous text: UnsafeBufferPointer<UInt8>, _ form: Form) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(Hexadecimal.value(of:)),
                    let low = rest.next().flatMap(Hexadecimal.value(of:))
                else { return nil }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where form == .form: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
