/// Appends JSON text (RFC 8259) to an array of bytes; the caller writes the structure, the writer escapes the strings.
///
/// It does not check the structure: texts of fixed shapes are written directly, without a tree. Swift strings are valid
/// Unicode, so the output is valid UTF-8.
@usableFromInline
package struct JSONWriter: Sendable {
    /// The control characters that are escaped by a letter; all others are escaped by their number, as `\u0001`.
    ///
    /// A parser sees no difference, but a text that is stored, signed or compared must always be written in one way.
    @usableFromInline
    package enum Escapes: Sendable {
        /// All that have a letter: `\b`, `\t`, `\n`, `\f` and `\r`.
        case short
        /// JSON's white space: `\t`, `\n` and `\r`.
        case whiteSpace
        /// None.
        case numbers
    }

    @usableFromInline
    var written: [UInt8]

    @usableFromInline
    let escapes: Escapes

    /// The bytes written so far.
    @inlinable
    package var bytes: [UInt8] { written }

    /// Starts with an empty text, with room for a number of bytes; `escapes` are the control characters that are
    /// escaped by a letter.
    @inlinable
    package init(capacity: Int, escapes: Escapes = .short) {
        self.escapes = escapes
        written = []
        written.reserveCapacity(capacity)
    }

    /// Appends text unchanged, for structure, names and numbers known at compile time.
    @inlinable @inline(__always)
    package mutating func literal(_ text: StaticString) {
        written.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes unchanged: JSON text that was written before.
    @inlinable @inline(__always)
    package mutating func raw(_ text: [UInt8]) { written.append(contentsOf: text) }

    /// Appends bytes unchanged: JSON text in UTF-8 that was written before.
    @inlinable @inline(__always)
    package mutating func raw(_ text: UnsafeBufferPointer<UInt8>) { written.append(contentsOf: text) }

    /// Appends text unchanged: JSON text that was written before.
    package mutating func raw(_ text: String) {
        var text = text
        text.withUTF8 { written.append(contentsOf: $0) }
    }

    /// Appends a string with its quotes.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            written.append(UInt8(ascii: "\""))
            escape(utf8)
            written.append(UInt8(ascii: "\""))
        }
    }

    /// Appends the inside of a string, without quotes.
    package mutating func escaped(_ text: Substring) {
        var text = text
        text.withUTF8 { escape($0) }
    }

    /// Appends the inside of a string, without quotes.
    package mutating func escaped(_ text: String) {
        var text = text
        text.withUTF8 { escape($0) }
    }

    /// Appends an integer in decimal.
    package mutating func integer(_ number: Int64) {
        if number >= 0, number < 10 {
            written.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
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
            if number < 0 { written.append(UInt8(ascii: "-")) }
            written.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[position..<20]))
        }
    }

    /// Appends a moment, in milliseconds since 1970, as a string in RFC 3339.
    package mutating func dateTime(milliseconds: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RFC3339.count + 2) { buffer in
            buffer[0] = UInt8(ascii: "\"")
            RFC3339.write(milliseconds: milliseconds, to: UnsafeMutableBufferPointer(rebasing: buffer.dropFirst()))
            buffer[RFC3339.count + 1] = UInt8(ascii: "\"")
            written.append(contentsOf: UnsafeBufferPointer(buffer))
        }
    }

    /// Appends `true` or `false`.
    package mutating func boolean(_ flag: Bool) {
        if flag { literal("true") } else { literal("false") }
    }

    // MARK: Members

    /// Appends a comma, except at the start of an object or an array: every item but the first is separated by one.
    @inlinable
    package mutating func separate() {
        if let last = written.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { literal(",") }
    }

    /// Begins a member: the comma before it if it needs one, its name and the colon.
    package mutating func name(_ name: String) {
        separate()
        string(name)
        literal(":")
    }

    /// Begins a member whose name needs no escape: the comma before it if it needs one, its name and the colon.
    @inlinable
    package mutating func name(known name: StaticString) {
        separate()
        literal("\"")
        literal(name)
        literal("\":")
    }

    /// Appends a member, whose name needs no escape, with a string; nothing for nil.
    package mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(known: name)
        string(value)
    }

    /// Appends a member, whose name needs no escape, with an integer; nothing for nil.
    package mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.name(known: name)
        integer(value)
    }

    /// Appends a member, whose name needs no escape, with an array; `write` appends one item, without a comma.
    @inlinable
    package mutating func array<Items: Sequence>(
        _ name: StaticString,
        _ items: Items,
        _ write: (inout JSONWriter, Items.Element) -> Void
    ) {
        self.name(known: name)
        literal("[")
        for item in items {
            separate()
            write(&self, item)
        }
        literal("]")
    }

    // MARK: Escapes

    /// Returns how many bytes, 1, 2 or 6, one byte of UTF-8 needs inside a string with ``Escapes/short``.
    @inlinable
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
                    written.append(contentsOf: UnsafeBufferPointer(start: base + start, count: position - start))
                    escape(byte: byte)
                    start = position + 1
                }
                position += 1
            }
        }
        written.append(contentsOf: UnsafeBufferPointer(start: base + start, count: count - start))
    }

    private mutating func escape(byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): literal("\\\"")
        case UInt8(ascii: "\\"): literal("\\\\")
        case 0x08 where escapes == .short: literal("\\b")
        case 0x0C where escapes == .short: literal("\\f")
        case 0x09 where escapes != .numbers: literal("\\t")
        case 0x0A where escapes != .numbers: literal("\\n")
        case 0x0D where escapes != .numbers: literal("\\r")
        default:
            literal("\\u00")
            written.append(Hexadecimal.digit(byte >> 4))
            written.append(Hexadecimal.digit(byte & 0xF))
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
