/// Base64 (RFC 4648) in its one canonical form: nothing else decodes, so that a value has exactly one encoding.
@usableFromInline
package enum StrictBase64 {
    /// The alphabet, and whether it is padded.
    @usableFromInline
    package enum Form: Sendable {
        /// `+` and `/`, padded with `=` (section 4).
        case standard
        /// `-` and `_`, never padded (section 5 as RFC 7515 section 2 uses it).
        case url
    }

    /// Decodes a text.
    ///
    /// - Returns: Nil for characters outside the alphabet, white space, wrong padding, an impossible length or unused
    ///   bits that are not 0.
    @inlinable
    package static func decode(_ text: some Collection<UInt8>, _ form: Form) -> [UInt8]? {
        let decoded = text.withContiguousStorageIfAvailable { decode(contiguous: $0, form) }
        return decoded ?? Array(text).withUnsafeBufferPointer { decode(contiguous: $0, form) }
    }

    @usableFromInline
    static func decode(contiguous text: UnsafeBufferPointer<UInt8>, _ form: Form) -> [UInt8]? {
        var count = text.count
        if form == .standard {
            guard count % 4 == 0 else { return nil }
            let padding = text.suffix(2).reduce(0) { $1 == UInt8(ascii: "=") ? $0 + 1 : 0 }
            count -= padding
        }
        guard count % 4 != 1 else { return nil }
        return decode(text.prefix(count), form == .url ? urlValues : standardValues)
    }

    /// The mark of a character outside the alphabet.
    private static let foreign: UInt8 = 0xFF
    private static let urlValues = (UInt8.min...UInt8.max).map { value(of: $0, .url) ?? foreign }
    private static let standardValues = (UInt8.min...UInt8.max).map { value(of: $0, .standard) ?? foreign }

    /// Decodes by a table of the alphabet's values: every part of every token is decoded here.
    private static func decode(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ values: [UInt8]) -> [UInt8]? {
        let text = UnsafeBufferPointer(rebasing: text)
        var isGood = true
        let decoded = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { buffer, filled in
                // Four characters are three bytes; only the mark of a foreign character has the highest bit set.
                var seen: UInt8 = 0
                var position = 0
                while position + 4 <= text.count {
                    let first = values[Int(text[position])]
                    let second = values[Int(text[position + 1])]
                    let third = values[Int(text[position + 2])]
                    let fourth = values[Int(text[position + 3])]
                    seen |= first | second | third | fourth
                    buffer[filled] = first << 2 | second >> 4
                    buffer[filled + 1] = second << 4 | third >> 2
                    buffer[filled + 2] = third << 6 | fourth
                    filled += 3
                    position += 4
                }
                var bits: UInt32 = 0
                var held = 0
                for byte in text[position...] {
                    let value = values[Int(byte)]
                    seen |= value
                    bits = bits << 6 | UInt32(value & 0x3F)
                    held += 6
                    if held >= 8 {
                        held -= 8
                        buffer[filled] = UInt8(truncatingIfNeeded: bits >> UInt32(held))
                        filled += 1
                    }
                }
                isGood = seen & 0x80 == 0 && bits & ((1 << UInt32(held)) - 1) == 0
            }
        }
        return isGood ? decoded : nil
    }

    /// Encodes to the canonical form.
    @inlinable
    package static func encode(_ bytes: some Collection<UInt8>, _ form: Form) -> String {
        let encoded = bytes.withContiguousStorageIfAvailable { encode(contiguous: $0, form) }
        return encoded ?? Array(bytes).withUnsafeBufferPointer { encode(contiguous: $0, form) }
    }

    @usableFromInline
    static func encode(contiguous bytes: UnsafeBufferPointer<UInt8>, _ form: Form) -> String {
        let characters = form == .url ? urlCharacters : standardCharacters
        let capacity = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            var filled = 0
            var bits: UInt32 = 0
            var held = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                held += 8
                while held >= 6 {
                    held -= 6
                    buffer[filled] = characters[Int(bits >> UInt32(held) & 0x3F)]
                    filled += 1
                }
            }
            if held > 0 {
                buffer[filled] = characters[Int(bits << UInt32(6 - held) & 0x3F)]
                filled += 1
            }
            while form == .standard, filled < capacity {
                buffer[filled] = UInt8(ascii: "=")
                filled += 1
            }
            return filled
        }
    }

    private static let urlCharacters = (0..<64).map { character(of: $0, .url) }
    private static let standardCharacters = (0..<64).map { character(of: $0, .standard) }

    private static func value(of byte: UInt8, _ form: Form) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+") where form == .standard, UInt8(ascii: "-") where form == .url: 62
        case UInt8(ascii: "/") where form == .standard, UInt8(ascii: "_") where form == .url: 63
        default: nil
        }
    }

    private static func character(of value: UInt8, _ form: Form) -> UInt8 {
        switch value {
        case 0..<26: value + UInt8(ascii: "A")
        case 26..<52: value - 26 + UInt8(ascii: "a")
        case 52..<62: value - 52 + UInt8(ascii: "0")
        case 62: form == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
        default: form == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_")
        }
    }
}
