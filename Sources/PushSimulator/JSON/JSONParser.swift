internal import TextFormats

/// A strict JSON reader (RFC 8259): no comments, no trailing commas, no duplicate members, at most 64 levels deep.
package struct JSONParser {
    /// The most nested levels, so that hostile input cannot exhaust the stack.
    private static let depthLimit = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Parses a text with exactly one value.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The value.
    /// - Throws: ``JSONSyntaxError``.
    package static func parse(_ text: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        try Self.reading(text) { parser throws(JSONSyntaxError) in try parser.value(depth: 0) }
    }

    /// Validates a text and returns whether it is an object with a member, without building values.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - name: The name of the top-level member.
    /// - Returns: False when the value is not an object or lacks the member.
    /// - Throws: ``JSONSyntaxError``. Only duplicates of that member are detected.
    package static func isObject(_ text: [UInt8], having name: StaticString) throws(JSONSyntaxError) -> Bool {
        guard (try? UTF8Span(validating: text.span)) != nil else {
            throw JSONSyntaxError(reason: "the text is not UTF-8", offset: 0)
        }
        return try Self.hasMember(text, name)
    }

    private static func hasMember(_ text: [UInt8], _ name: StaticString) throws(JSONSyntaxError) -> Bool {
        try Self.reading(text) { parser throws(JSONSyntaxError) in try parser.skipTopLevel(lookingFor: name) }
    }

    private static func reading<T>(
        _ text: [UInt8],
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> T
    ) throws(JSONSyntaxError) -> T {
        let result: Result<T, JSONSyntaxError> = text.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(bytes: buffer)
            do throws(JSONSyntaxError) {
                let value = try body(&parser)
                parser.skipSpace()
                if parser.offset < buffer.count { throw parser.error("more text after the value") }
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func error(_ reason: String) -> JSONSyntaxError {
        JSONSyntaxError(reason: reason, offset: self.offset)
    }

    private mutating func skipSpace() {
        while self.offset < self.bytes.count {
            switch self.bytes[self.offset] {
            case 0x20, 0x09, 0x0A, 0x0D: self.offset += 1
            default: return
            }
        }
    }

    private func peek() throws(JSONSyntaxError) -> UInt8 {
        guard self.offset < self.bytes.count else { throw self.error("the text ends too early") }
        return self.bytes[self.offset]
    }

    private mutating func expect(_ byte: UInt8, _ reason: String) throws(JSONSyntaxError) {
        self.skipSpace()
        guard try self.peek() == byte else { throw self.error(reason) }
        self.offset += 1
    }

    private mutating func literal(_ text: StaticString) throws(JSONSyntaxError) {
        for index in 0..<text.utf8CodeUnitCount {
            guard try self.peek() == text.utf8Start[index] else { throw self.error("unknown literal") }
            self.offset += 1
        }
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.depthLimit else { throw self.error("nested too deeply") }
        self.skipSpace()
        switch try self.peek() {
        case UInt8(ascii: "{"): return try self.object(depth: depth)
        case UInt8(ascii: "["): return try self.array(depth: depth)
        case UInt8(ascii: "\""): return .string(try self.string())
        case UInt8(ascii: "t"):
            try self.literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try self.literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try self.literal("null")
            return .null
        default: return try self.number()
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        var members: [JSONValue.JSONMember] = []
        self.offset += 1
        self.skipSpace()
        if try self.peek() == UInt8(ascii: "}") {
            self.offset += 1
            return .object([])
        }
        while true {
            self.skipSpace()
            guard try self.peek() == UInt8(ascii: "\"") else { throw self.error("a member name must follow") }
            let name = try self.string()
            if members.contains(where: { $0.name == name }) { throw self.error("a member name is repeated") }
            try self.expect(UInt8(ascii: ":"), "a colon must follow")
            members.append(.init(name: name, value: try self.value(depth: depth + 1)))
            if try self.endOfList(UInt8(ascii: "}")) { return .object(members) }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        self.offset += 1
        self.skipSpace()
        if try self.peek() == UInt8(ascii: "]") {
            self.offset += 1
            return .array([])
        }
        while true {
            elements.append(try self.value(depth: depth + 1))
            if try self.endOfList(UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    /// Consumes the comma or the end after an element.
    private mutating func endOfList(_ end: UInt8) throws(JSONSyntaxError) -> Bool {
        self.skipSpace()
        let byte = try self.peek()
        guard byte == end || byte == UInt8(ascii: ",") else { throw self.error("a comma or the end must follow") }
        self.offset += 1
        return byte == end
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = self.offset
        let isIntegral = try self.skipNumber()
        let text = String(decoding: self.bytes[start..<self.offset], as: UTF8.self)
        if isIntegral, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw self.error("a number is out of range") }
        return .number(value)
    }

    /// Skips a number.
    ///
    /// - Returns: Whether it has neither fraction nor exponent.
    private mutating func skipNumber() throws(JSONSyntaxError) -> Bool {
        if try self.peek() == UInt8(ascii: "-") { self.offset += 1 }
        if try self.peek() == UInt8(ascii: "0") { self.offset += 1 } else { try self.skipDigits() }
        var isIntegral = true
        if self.offset < self.bytes.count, self.bytes[self.offset] == UInt8(ascii: ".") {
            isIntegral = false
            self.offset += 1
            try self.skipDigits()
        }
        if self.offset < self.bytes.count, self.bytes[self.offset] | 0x20 == UInt8(ascii: "e") {
            isIntegral = false
            self.offset += 1
            let sign = try self.peek()
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { self.offset += 1 }
            try self.skipDigits()
        }
        return isIntegral
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        guard try Self.isDigit(self.peek()) else { throw self.error("unknown value") }
        while self.offset < self.bytes.count, Self.isDigit(self.bytes[self.offset]) { self.offset += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    // MARK: Strings

    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = self.offset + 1
        let hasEscapes = try self.skipString()
        let content = UnsafeBufferPointer(rebasing: self.bytes[start..<(self.offset - 1)])
        if hasEscapes { return try self.unescaped(content) }
        guard let text = String(validating: content, as: UTF8.self) else { throw self.error("a string is not UTF-8") }
        return text
    }

    /// Skips a string with its quotes.
    ///
    /// - Returns: Whether it has escapes.
    private mutating func skipString() throws(JSONSyntaxError) -> Bool {
        self.offset += 1
        var hasEscapes = false
        while true {
            switch try self.peek() {
            case UInt8(ascii: "\""):
                self.offset += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                self.offset += 1
                let escape = try self.peek()
                self.offset += 1
                switch escape {
                case UInt8(ascii: "u"):
                    for _ in 0..<4 {
                        guard try Hexadecimal.value(of: self.peek()) != nil else { throw self.error("bad \\u escape") }
                        self.offset += 1
                    }
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                    UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                    break
                default: throw self.error("unknown escape")
                }
            case 0..<0x20: throw self.error("a control character in a string")
            default: self.offset += 1
            }
        }
    }

    private func unescaped(_ content: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(content.count)
        var index = 0
        while index < content.count {
            guard content[index] == UInt8(ascii: "\\") else {
                output.append(content[index])
                index += 1
                continue
            }
            let escape = content[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = UInt32(Self.codeUnit(content, at: index))
                index += 4
                if (0xD800..<0xDC00).contains(scalar), index + 6 <= content.count,
                    content[index] == UInt8(ascii: "\\"), content[index + 1] == UInt8(ascii: "u")
                {
                    let low = UInt32(Self.codeUnit(content, at: index + 2))
                    guard (0xDC00..<0xE000).contains(low) else { throw self.error("half a surrogate pair") }
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                    index += 6
                }
                guard let unicode = Unicode.Scalar(scalar) else { throw self.error("half a surrogate pair") }
                output.append(contentsOf: Array(String(Character(unicode)).utf8))
            default: output.append(escape)
            }
        }
        guard let text = String(validating: output, as: UTF8.self) else { throw self.error("a string is not UTF-8") }
        return text
    }

    private static func codeUnit(_ content: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16 {
        var value: UInt16 = 0
        for byte in content[index..<(index + 4)] { value = value << 4 | UInt16(Hexadecimal.value(of: byte) ?? 0) }
        return value
    }

    // MARK: Skipping

    private mutating func skipTopLevel(lookingFor name: StaticString) throws(JSONSyntaxError) -> Bool {
        self.skipSpace()
        guard try self.peek() == UInt8(ascii: "{") else {
            try self.skipValue(depth: 0)
            return false
        }
        var isFound = false
        self.offset += 1
        self.skipSpace()
        if try self.peek() == UInt8(ascii: "}") {
            self.offset += 1
            return false
        }
        while true {
            self.skipSpace()
            guard try self.peek() == UInt8(ascii: "\"") else { throw self.error("a member name must follow") }
            let start = self.offset + 1
            _ = try self.skipString()
            let content = UnsafeBufferPointer(rebasing: self.bytes[start..<(self.offset - 1)])
            let sought = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            if content.elementsEqual(sought) {
                if isFound { throw self.error("a member name is repeated") }
                isFound = true
            }
            try self.expect(UInt8(ascii: ":"), "a colon must follow")
            try self.skipValue(depth: 1)
            if try self.endOfList(UInt8(ascii: "}")) { return isFound }
        }
    }

    private mutating func skipValue(depth: Int) throws(JSONSyntaxError) {
        guard depth < Self.depthLimit else { throw self.error("nested too deeply") }
        self.skipSpace()
        switch try self.peek() {
        case UInt8(ascii: "{"): try self.skipList(depth: depth, end: UInt8(ascii: "}"), hasNames: true)
        case UInt8(ascii: "["): try self.skipList(depth: depth, end: UInt8(ascii: "]"), hasNames: false)
        case UInt8(ascii: "\""): _ = try self.skipString()
        case UInt8(ascii: "t"): try self.literal("true")
        case UInt8(ascii: "f"): try self.literal("false")
        case UInt8(ascii: "n"): try self.literal("null")
        default: _ = try self.skipNumber()
        }
    }

    private mutating func skipList(depth: Int, end: UInt8, hasNames: Bool) throws(JSONSyntaxError) {
        self.offset += 1
        self.skipSpace()
        if try self.peek() == end {
            self.offset += 1
            return
        }
        while true {
            if hasNames {
                self.skipSpace()
                guard try self.peek() == UInt8(ascii: "\"") else { throw self.error("a member name must follow") }
                _ = try self.skipString()
                try self.expect(UInt8(ascii: ":"), "a colon must follow")
            }
            try self.skipValue(depth: depth + 1)
            if try self.endOfList(end) { return }
        }
    }
}
