package import GatewayModel
internal import TextFormats

/// Appends JSON text (RFC 8259) to an array of bytes; the caller writes the structure, the writer escapes the strings.
///
/// It does not check the structure: payloads of this module have fixed shapes and are written directly, without a tree.
/// Swift strings are valid Unicode, so the output is valid UTF-8.
package struct JSONWriter {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8]

    /// Starts with an empty text.
    ///
    /// - Parameter capacity: The number of bytes to reserve.
    package init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Appends text unchanged, for structure, names and numbers known at compile time.
    ///
    /// - Parameter text: Part of a JSON text.
    @inline(__always)
    package mutating func literal(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes unchanged: JSON text that was written before.
    ///
    /// - Parameter text: Part of a JSON text.
    @inline(__always)
    package mutating func raw(_ text: [UInt8]) { bytes.append(contentsOf: text) }

    /// Appends a JSON value that was validated before.
    ///
    /// - Parameter value: A complete JSON value.
    package mutating func value(_ value: JSONText) {
        var text = value.text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Appends a string with its quotes.
    ///
    /// - Parameter text: Any text.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            bytes.append(UInt8(ascii: "\""))
            escape(utf8)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    /// Appends the inside of a string, without quotes.
    ///
    /// - Parameter text: Any text.
    package mutating func escaped(_ text: Substring) {
        var text = text
        text.withUTF8 { escape($0) }
    }

    /// Appends the inside of a string, without quotes.
    ///
    /// - Parameter text: Any text.
    package mutating func escaped(_ text: String) {
        var text = text
        text.withUTF8 { escape($0) }
    }

    /// Appends an integer in decimal.
    ///
    /// - Parameter number: Any number.
    package mutating func integer(_ number: Int64) {
        if number >= 0, number < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var position = 20
            var rest = number.magnitude
            repeat {
                position -= 1
                buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 { bytes.append(UInt8(ascii: "-")) }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[position..<20]))
        }
    }

    /// Appends an id in its canonical lower-case form, without quotes.
    ///
    /// - Parameter id: A message's id.
    package mutating func identifier(_ id: MessageID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: MessageID.textBytes) { buffer in
            id.write(to: buffer)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<MessageID.textBytes]))
        }
    }

    /// Returns how many bytes one byte of UTF-8 needs inside a string.
    ///
    /// - Parameter byte: A byte of UTF-8.
    /// - Returns: 1, 2 or 6.
    package static func escapedCount(_ byte: UInt8) -> Int {
        switch byte {
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        case 0..<0x20: 6
        default: 1
        }
    }

    /// Copies runs that need no escape, and escapes the bytes between them.
    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        guard let base = utf8.baseAddress else { return }
        let count = utf8.count
        var start = 0
        var position = 0
        while position < count {
            // Eight bytes at a time while none of them needs an escape.
            if position + 8 <= count,
                !Self.needsEscape(UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self))
            {
                position += 8
                continue
            }
            let stop = min(position + 8, count)
            while position < stop {
                let byte = base[position]
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    bytes.append(contentsOf: UnsafeBufferPointer(start: base + start, count: position - start))
                    escape(byte: byte)
                    start = position + 1
                }
                position += 1
            }
        }
        bytes.append(contentsOf: UnsafeBufferPointer(start: base + start, count: count - start))
    }

    private mutating func escape(byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): literal("\\\"")
        case UInt8(ascii: "\\"): literal("\\\\")
        case 0x08: literal("\\b")
        case 0x09: literal("\\t")
        case 0x0A: literal("\\n")
        case 0x0C: literal("\\f")
        case 0x0D: literal("\\r")
        default:
            literal("\\u00")
            bytes.append(Hexadecimal.digit(byte >> 4))
            bytes.append(Hexadecimal.digit(byte & 0xF))
        }
    }

    /// Returns whether one of eight bytes is below 0x20, a quote or a backslash; false positives are possible, false
    /// negatives are not (the usual has-less and has-zero tricks on words).
    @inline(__always)
    private static func needsEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let control = (word &- ones &* 0x20) & ~word
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let quote = (quotes &- ones) & ~quotes
        let slash = (slashes &- ones) & ~slashes
        return (control | quote | slash) & highs != 0
    }
}
