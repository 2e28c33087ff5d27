internal import TextFormats

/// The parser of JSON text for ``JSONValue``.
struct JSONReader {
    /// The most nested levels: responses have about five, and recursion must be bounded.
    private static let maxDepth = 32

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func value(depth: Int) -> JSONValue? {
        guard depth < Self.maxDepth, let first = token() else { return nil }
        switch first {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return word("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        position += 1
        var members: [JSONValue.Member] = []
        if token() == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            guard token() == UInt8(ascii: "\""), let name = string(), token() == UInt8(ascii: ":") else { return nil }
            position += 1
            guard let value = value(depth: depth + 1) else { return nil }
            members.append(.init(name: name, value: value))
            switch token() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return .object(members)
            default: return nil
            }
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        position += 1
        var elements: [JSONValue] = []
        if token() == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            guard let value = value(depth: depth + 1) else { return nil }
            elements.append(value)
            switch token() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return .array(elements)
            default: return nil
            }
        }
    }

    /// Reads a string after its opening quote; invalid UTF-8 is repaired.
    private mutating func string() -> String? {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { return nil }
                let escape = bytes[position]
                position += 1
                switch escape {
                case UInt8(ascii: "n"): text.append(0x0A)
                case UInt8(ascii: "t"): text.append(0x09)
                case UInt8(ascii: "r"): text.append(0x0D)
                case UInt8(ascii: "b"): text.append(0x08)
                case UInt8(ascii: "f"): text.append(0x0C)
                case UInt8(ascii: "u"):
                    guard let scalar = escapedScalar() else { return nil }
                    text.append(contentsOf: Array(String(scalar).utf8))
                default: text.append(escape)
                }
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Reads the digits of `\uXXXX`, and of the second half of a surrogate pair; half a pair becomes U+FFFD.
    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let first = hexadecimal() else { return nil }
        if first & 0xFC00 == 0xD800, position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        {
            let start = position
            position += 2
            if let second = hexadecimal(), second & 0xFC00 == 0xDC00 {
                return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
            }
            position = start
        }
        return Unicode.Scalar(first) ?? "\u{FFFD}"
    }

    private mutating func hexadecimal() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(of: bytes[position]) else { return nil }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func number() -> JSONValue? {
        let start = position
        while position < bytes.count, "+-.0123456789eE".utf8.contains(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        return Double(String(decoding: bytes[start..<position], as: UTF8.self)).map { .number($0) }
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
        position += count
        return true
    }

    /// Returns the next byte that is not white space, without consuming it.
    private mutating func token() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return bytes[position]
            }
        }
        return nil
    }
}
