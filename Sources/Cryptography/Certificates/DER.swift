/// The few values of DER (X.690 section 10) that are written and read without OpenSSL.
package enum DER {
    private static let integerTag: UInt8 = 0x02
    private static let utf8Tag: UInt8 = 0x0C
    private static let sequenceTag: UInt8 = 0x30

    /// Encodes a sequence of encoded values.
    package static func sequence(_ values: [[UInt8]]) -> [UInt8] { encoded(sequenceTag, Array(values.joined())) }

    /// Encodes a UTF8String.
    package static func utf8(_ text: String) -> [UInt8] { encoded(utf8Tag, Array(text.utf8)) }

    /// Encodes a number that is not negative, big endian.
    static func integer(_ number: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        // A highest bit that is set would make it negative.
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        return encoded(integerTag, (needsZero ? [0] : []) + digits)
    }

    /// Returns the UTF8Strings directly in a sequence, skipping other values, or the single UTF8String that is not in
    /// one; empty for what is not DER.
    package static func texts(in value: [UInt8]) -> [String] {
        let values = sequence(value[...]) ?? parse(value[...]).map { $0.rest.isEmpty ? [$0.value] : [] } ?? []
        return values.filter { $0.tag == utf8Tag }.compactMap { String(validating: $0.content, as: UTF8.self) }
    }

    /// Returns the values directly in a sequence; nil for what is not exactly one sequence.
    static func sequence(_ bytes: ArraySlice<UInt8>) -> [Value]? {
        guard let outer = parse(bytes), outer.value.tag == sequenceTag, outer.rest.isEmpty else { return nil }
        var (values, remaining): ([Value], ArraySlice<UInt8>) = ([], outer.value.content)
        while !remaining.isEmpty {
            guard let (value, rest) = parse(remaining) else { return nil }
            values.append(value)
            remaining = rest
        }
        return values
    }

    /// A tag and the bytes of its content.
    typealias Value = (tag: UInt8, content: ArraySlice<UInt8>)

    /// Splits the first value off; nil when it is not complete, or its length not in the shortest form of at most two
    /// bytes, which is more than a key on P-256 or a list of topics needs.
    private static func parse(_ bytes: ArraySlice<UInt8>) -> (value: Value, rest: ArraySlice<UInt8>)? {
        guard let tag = bytes.first, let first = bytes.dropFirst().first else { return nil }
        var rest = bytes.dropFirst(2)
        var length = Int(first)
        if first >= 0x80 {
            let digits = rest.prefix(Int(first & 0x7F))
            guard (1...2).contains(digits.count), digits.count == Int(first & 0x7F) else { return nil }
            length = digits.reduce(0) { $0 << 8 | Int($1) }
            guard length >= (digits.count == 1 ? 0x80 : 0x100) else { return nil }
            rest = rest.dropFirst(digits.count)
        }
        guard rest.count >= length else { return nil }
        return ((tag, rest.prefix(length)), rest.dropFirst(length))
    }

    private static func encoded(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var digits = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        if content.count >= 0x80 { digits.insert(0x80 | UInt8(digits.count), at: 0) }
        return [tag] + (digits.isEmpty ? [0] : digits) + content
    }
}
