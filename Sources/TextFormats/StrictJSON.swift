/// A JSON value of a token or a request, parsed strictly: duplicate members, invalid UTF-8, deep nesting and trailing
/// bytes are errors (RFC 8725 section 2.4, RFC 7515 section 4).
package enum StrictJSON: Sendable, Equatable {
    /// An object.
    case object(Members)
    /// An array.
    case array([StrictJSON])
    /// A string, its escapes resolved.
    case string(String)
    /// A whole number in range and without exponent.
    case integer(Int64)
    /// Any other number, as it is written.
    case otherNumber(String)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// The reason why a text is rejected.
    package enum Rejection: Error, Equatable {
        /// It is not one JSON text.
        case syntax
        /// It is not valid UTF-8.
        case encoding
        /// It has more levels of objects and arrays than allowed.
        case depth
        /// One of its objects has this member twice.
        case duplicate(BoundedName)
        /// A member's name has more than ``BoundedName/maxBytes`` bytes.
        case longName
        /// It has more than ``maxValues`` values.
        case values
    }

    /// Compares values, with names and texts as bytes, and numbers that are not whole as they are written.
    package static func == (lhs: StrictJSON, rhs: StrictJSON) -> Bool {
        switch (lhs, rhs) {
        case (.object(let lhs), .object(let rhs)): lhs == rhs
        case (.array(let lhs), .array(let rhs)): lhs == rhs
        case (.string(let lhs), .string(let rhs)): lhs.hasSameBytes(as: rhs)
        case (.integer(let lhs), .integer(let rhs)): lhs == rhs
        case (.bool(let lhs), .bool(let rhs)): lhs == rhs
        case (.otherNumber(let lhs), .otherNumber(let rhs)): lhs.hasSameBytes(as: rhs)
        case (.null, .null): true
        default: false
        }
    }

    /// The maximum depth, more than any token needs.
    package static let tokenDepth = 16

    /// The maximum number of values in one text, including objects and arrays.
    ///
    /// A value takes more memory than its text, an object with one member a hundred times as much: a body of small
    /// objects would exhaust the memory where one of strings would not.
    package static let maxValues = 100_000

    /// Parses one value that is the whole text.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - maxDepth: The maximum number of levels of objects and arrays.
    ///   - takesZeroFractions: Whether `1.0` is a whole number, as some languages write it and JSON Schema defines it;
    ///     not in a token.
    /// - Returns: The value.
    /// - Throws: ``Rejection``.
    package static func parse(
        _ bytes: [UInt8],
        maxDepth: Int = StrictJSON.tokenDepth,
        takesZeroFractions: Bool = false
    ) throws(Rejection) -> StrictJSON {
        try parse(bytes, maxDepth, nil) { reader throws(Rejection) in
            reader.takesZeroFractions = takesZeroFractions
            return try reader.value(depth: 0)
        }
    }

    /// Reads one value that is the whole text.
    static func parse<Result>(
        _ bytes: [UInt8],
        _ maxDepth: Int,
        _ selection: Selection?,
        _ read: (inout Reader) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw .encoding }
        return try bytes.withUnsafeBufferPointer { bytes throws(Rejection) in
            var reader = Reader(bytes: bytes, maxDepth: maxDepth, selection: selection)
            let result = try read(&reader)
            reader.skipSpace()
            guard reader.isAtEnd else { throw .syntax }
            return result
        }
    }

    /// The members of an object; nil for every other value.
    package var members: Members? {
        if case .object(let members) = self { members } else { nil }
    }

    /// Whether it is `null`.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The text of a string; nil for every other value.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    struct Reader {
        /// The text, UTF-8.
        ///
        /// Its owner keeps it while the reader is used. Each place is checked before it is read.
        private let bytes: UnsafeBufferPointer<UInt8>
        private let maxDepth: Int
        var takesZeroFractions = false
        private var position = 0
        private var values = 0
        /// The nodes of the selection; empty without one.
        private let nodes: [Selection.Node]
        /// Which of the first 64 nodes have been found: enough for nearly every selection.
        private var found: UInt64 = 0
        /// Which further nodes have been found.
        private var foundBeyond: Set<Int> = []
        /// The value of each pointer of the selection.
        private(set) var selected: [StrictJSON?] = []

        fileprivate init(bytes: UnsafeBufferPointer<UInt8>, maxDepth: Int, selection: Selection?) {
            self.bytes = bytes
            self.maxDepth = maxDepth
            nodes = selection?.nodes ?? []
            if let selection { selected = Array(repeating: nil, count: selection.count) }
        }

        var isAtEnd: Bool { position == bytes.count }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
        }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func expect(_ byte: UInt8) throws(Rejection) {
            guard next == byte else { throw .syntax }
            position += 1
        }

        private mutating func expect(_ word: StaticString) throws(Rejection) {
            for index in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[index]) }
        }

        mutating func value(depth: Int) throws(Rejection) -> StrictJSON {
            switch try start(depth: depth) {
            case UInt8(ascii: "{"): return try object(depth: depth)
            case UInt8(ascii: "["): return try array(depth: depth)
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t"):
                try expect("true")
                return .bool(true)
            case UInt8(ascii: "f"):
                try expect("false")
                return .bool(false)
            case UInt8(ascii: "n"):
                try expect("null")
                return .null
            default: return try number()
            }
        }

        /// Begins a value, and returns its first byte; nil at the end of the text.
        private mutating func start(depth: Int) throws(Rejection) -> UInt8? {
            guard depth < maxDepth else { throw .depth }
            values += 1
            guard values <= StrictJSON.maxValues else { throw .values }
            skipSpace()
            return next
        }

        // MARK: Selecting

        /// Reads the value at a node of the selection.
        mutating func select(_ node: Int, depth: Int) throws(Rejection) {
            skipSpace()
            guard nodes[node].pointers.isEmpty, next != UInt8(ascii: "[") else {
                return keep(try value(depth: depth), at: node)
            }
            guard next == UInt8(ascii: "{") else { return try skip(depth: depth) }
            _ = try start(depth: depth)
            try elements(to: "}") { reader throws(Rejection) in
                guard reader.next == UInt8(ascii: "\"") else { throw .syntax }
                let child = try reader.child(of: node)
                reader.skipSpace()
                try reader.expect(UInt8(ascii: ":"))
                guard let child else { return try reader.skip(depth: depth + 1) }
                if !reader.isFirst(child), let name = reader.nodes[child].step.name { throw .duplicate(name) }
                try reader.select(child, depth: depth + 1)
            }
        }

        /// Keeps a value for the pointers that end at a node, and what is in it for longer ones.
        private mutating func keep(_ value: StrictJSON, at node: Int) {
            for pointer in nodes[node].pointers { selected[pointer] = value }
            var child = nodes[node].firstChild
            while let place = child {
                if let value = value.value(at: nodes[place].step) { keep(value, at: place) }
                child = nodes[place].sibling
            }
        }

        /// Marks a node as found; false when it was before.
        mutating func isFirst(_ node: Int) -> Bool {
            guard node < UInt64.bitWidth else { return foundBeyond.insert(node).inserted }
            let bit: UInt64 = 1 << UInt64(node)
            defer { found |= bit }
            return found & bit == 0
        }

        /// Reads a member's name, and returns its node below another one; nil when it is not on the way to a place.
        private mutating func child(of node: Int) throws(Rejection) -> Int? {
            let start = position + 1
            if try skipString() {
                position = start - 1
                guard let name = BoundedName(try string()) else { return nil }
                return Selection.child(of: node, in: nodes) { $0.step.name == name }
            }
            // Without a text for each name.
            let found = UnsafeBufferPointer(rebasing: bytes[start..<position - 1])
            let head = BoundedName.head(of: found)
            return Selection.child(of: node, in: nodes) { $0.step.name?.hasBytes(found, head: head) ?? false }
        }

        /// Reads over a value that is not kept.
        private mutating func skip(depth: Int) throws(Rejection) {
            switch try start(depth: depth) {
            case UInt8(ascii: "{"):
                try elements(to: "}") { reader throws(Rejection) in
                    guard reader.next == UInt8(ascii: "\"") else { throw .syntax }
                    try reader.skipString()
                    reader.skipSpace()
                    try reader.expect(UInt8(ascii: ":"))
                    try reader.skip(depth: depth + 1)
                }
            case UInt8(ascii: "["):
                try elements(to: "]") { reader throws(Rejection) in try reader.skip(depth: depth + 1) }
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "t"): try expect("true")
            case UInt8(ascii: "f"): try expect("false")
            case UInt8(ascii: "n"): try expect("null")
            default: _ = try number()
            }
        }

        /// Reads over a string; returns whether it has an escape.
        @discardableResult
        private mutating func skipString() throws(Rejection) -> Bool {
            position += 1
            var hasEscape = false
            while true {
                skipPlainText()
                guard let byte = next, byte >= 0x20 else { throw .syntax }
                position += 1
                if byte == UInt8(ascii: "\"") { return hasEscape }
                hasEscape = true
                var character: [UInt8] = []
                try escape(into: &character)
            }
        }

        /// Moves to the next byte that is not plain text of a string: a quote, a backslash or a control character.
        private mutating func skipPlainText() {
            let bytes = UnsafeRawBufferPointer(bytes)
            // Eight bytes at a time: the lowest byte that is marked is exact, whatever is above it.
            while position &+ 8 <= bytes.count {
                let eight = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let quotes = eight ^ 0x2222_2222_2222_2222
                let slashes = eight ^ 0x5C5C_5C5C_5C5C_5C5C
                let ones: UInt64 = 0x0101_0101_0101_0101
                let marks =
                    ((eight &- ones &* 0x20) & ~eight | (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes)
                    & 0x8080_8080_8080_8080
                position &+= marks == 0 ? 8 : marks.trailingZeroBitCount / 8
                guard marks == 0 else { return }
            }
            while position < bytes.count {
                let byte = bytes[position]
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
                position &+= 1
            }
        }

        /// Reads the elements of an object or an array with the commas between them, from its first byte to its last.
        @inline(__always)
        private mutating func elements(
            to end: Unicode.Scalar,
            _ element: (inout Reader) throws(Rejection) -> Void
        ) throws(Rejection) {
            position += 1
            skipSpace()
            if next == UInt8(ascii: end) {
                position += 1
                return
            }
            while true {
                skipSpace()
                try element(&self)
                skipSpace()
                if next == UInt8(ascii: ",") {
                    position += 1
                    continue
                }
                return try expect(UInt8(ascii: end))
            }
        }

        private mutating func object(depth: Int) throws(Rejection) -> StrictJSON {
            // The usual number in headers and claims; an inner object has no room before it is needed, because a body may
            // consist of empty ones.
            var members = Members()
            if depth == 0 { members.reserveCapacity(8) }
            try elements(to: "}") { reader throws(Rejection) in
                guard reader.next == UInt8(ascii: "\"") else { throw .syntax }
                guard let name = BoundedName(try reader.string()) else { throw .longName }
                reader.skipSpace()
                try reader.expect(UInt8(ascii: ":"))
                let value = try reader.value(depth: depth + 1)
                guard members.insert(name, value) else { throw .duplicate(name) }
            }
            return .object(members)
        }

        private mutating func array(depth: Int) throws(Rejection) -> StrictJSON {
            var items: [StrictJSON] = []
            try elements(to: "]") { reader throws(Rejection) in
                items.append(try reader.value(depth: depth + 1))
            }
            return .array(items)
        }

        private func text(from start: Int, to end: Int) -> String {
            String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
        }

        private mutating func string() throws(Rejection) -> String {
            position += 1
            // Most strings have no escape: the scanned bytes are the text.
            let start = position
            skipPlainText()
            if next == UInt8(ascii: "\"") {
                position += 1
                return text(from: start, to: position - 1)
            }
            var text = Array(bytes[start..<position])
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case 0..<0x20: throw .syntax
                case UInt8(ascii: "\\"): try escape(into: &text)
                default: text.append(byte)
                }
            }
            throw .syntax
        }

        private mutating func escape(into text: inout [UInt8]) throws(Rejection) {
            guard let byte = next else { throw .syntax }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                var code = try hexDigits()
                if (0xD800..<0xDC00).contains(code) {
                    try expect("\\u")
                    let low = try hexDigits()
                    guard (0xDC00..<0xE000).contains(low) else { throw .syntax }
                    code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
                }
                // A surrogate without its other half is not a character.
                guard let scalar = Unicode.Scalar(code) else { throw .syntax }
                text.append(contentsOf: String(scalar).utf8)
            default: throw .syntax
            }
        }

        private mutating func hexDigits() throws(Rejection) -> UInt32 {
            guard position + 4 <= bytes.count else { throw .syntax }
            var code: UInt32 = 0
            for byte in bytes[position..<position + 4] {
                guard let digit = Hexadecimal.value(of: byte) else { throw .syntax }
                code = code << 4 | UInt32(digit)
            }
            position += 4
            return code
        }

        private mutating func digits() throws(Rejection) {
            let start = position
            while let byte = next, byte >= 0x30, byte <= 0x39 { position += 1 }
            guard position > start else { throw .syntax }
        }

        /// Returns the value of digits after a sign, if it is in range.
        private static func integer(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
            let isNegative = text.first == UInt8(ascii: "-")
            var value: Int64 = 0
            for digit in isNegative ? text.dropFirst() : text {
                // Negative numbers are used, for there is one more below 0 than above.
                let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
                let (next, isBeyond) = tens.subtractingReportingOverflow(Int64(digit - 0x30))
                guard !isTooLarge, !isBeyond else { return nil }
                value = next
            }
            if isNegative { return value }
            return value == .min ? nil : -value
        }

        private mutating func number() throws(Rejection) -> StrictJSON {
            let start = position
            if next == UInt8(ascii: "-") { position += 1 }
            if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
            let whole = bytes[start..<position]
            var isWhole = true
            if next == UInt8(ascii: ".") {
                position += 1
                let fraction = position
                try digits()
                isWhole = takesZeroFractions && bytes[fraction..<position].allSatisfy { $0 == UInt8(ascii: "0") }
            }
            if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
                isWhole = false
                position += 1
                if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
                try digits()
            }
            guard isWhole, let value = Self.integer(whole) else {
                return .otherNumber(text(from: start, to: position))
            }
            return .integer(value)
        }
    }
}
