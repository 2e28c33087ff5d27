internal import TextFormats

/// An append-only JSON writer; the caller writes the structure in order.
package struct JSONWriter {
    /// The bytes written so far, UTF-8.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Creates an empty writer.
    package init() {}

    /// Serialises one value.
    ///
    /// - Parameter value: Any value.
    /// - Returns: UTF-8 without white space.
    package static func bytes(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(value)
        return writer.bytes
    }

    /// Writes an object.
    ///
    /// - Parameter members: Writes the members with ``member(_:_:)-(_,JSONValue)`` and its overloads.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        self.open(UInt8(ascii: "{"))
        members(&self)
        self.close(UInt8(ascii: "}"))
    }

    /// Writes an array.
    ///
    /// - Parameter elements: Writes the elements.
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        self.open(UInt8(ascii: "["))
        elements(&self)
        self.close(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value must be written next.
    ///
    /// - Parameter text: The name.
    package mutating func name(_ text: String) {
        self.separate()
        self.appendQuoted(text)
        self.bytes.append(UInt8(ascii: ":"))
        self.needsComma = false
    }

    /// Writes a member.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    package mutating func member(_ name: String, _ value: JSONValue) {
        self.name(name)
        self.write(value)
    }

    /// Writes a member with a string.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The text; nothing is written for nil.
    package mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        self.member(name, .string(value))
    }

    /// Writes a member with an integer.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The integer; nothing is written for nil.
    package mutating func member(_ name: String, _ value: Int?) {
        guard let value else { return }
        self.member(name, .integer(Int64(value)))
    }

    /// Writes a value that is already JSON text.
    ///
    /// - Parameter json: A complete, valid JSON value.
    package mutating func raw(_ json: [UInt8]) {
        self.separate()
        self.bytes.append(contentsOf: json)
        self.needsComma = true
    }

    /// Writes a value.
    ///
    /// - Parameter value: Any value.
    package mutating func write(_ value: JSONValue) {
        switch value {
        case .null: self.raw(Array("null".utf8))
        case .bool(let flag): self.raw(Array((flag ? "true" : "false").utf8))
        case .integer(let number): self.raw(Array(String(number).utf8))
        case .number(let number): self.raw(Array("\(number)".utf8))
        case .string(let text):
            self.separate()
            self.appendQuoted(text)
            self.needsComma = true
        case .array(let elements):
            self.array { writer in
                for element in elements { writer.write(element) }
            }
        case .object(let members):
            self.object { writer in
                for member in members { writer.member(member.name, member.value) }
            }
        }
    }

    private mutating func separate() {
        if self.needsComma { self.bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func open(_ byte: UInt8) {
        self.separate()
        self.bytes.append(byte)
        self.needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        self.bytes.append(byte)
        self.needsComma = true
    }

    private mutating func appendQuoted(_ text: String) {
        self.bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: self.bytes += Array("\\n".utf8)
            case 0..<0x20:
                self.bytes += Array("\\u00".utf8) + [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 15)]
            default: self.bytes.append(byte)
            }
        }
        self.bytes.append(UInt8(ascii: "\""))
    }
}
