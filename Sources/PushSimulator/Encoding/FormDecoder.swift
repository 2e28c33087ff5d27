internal import TextFormats

/// Reads `application/x-www-form-urlencoded` (WHATWG URL standard section 5).
enum FormDecoder {
    /// Splits a body into its fields, in order.
    ///
    /// - Parameter body: The body as received.
    /// - Returns: The fields; nil for an invalid percent escape or text that is not UTF-8.
    static func fields(of body: [UInt8]) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = parts.count > 1 ? Self.decode(parts[1]) : "" else {
                return nil
            }
            fields.append((name, value))
        }
        return fields
    }

    /// Decodes one name or value; nil when it is malformed.
    static func decode(_ text: ArraySlice<UInt8>) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): output.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hexadecimal.value(of:)),
                    let low = rest.popFirst().flatMap(Hexadecimal.value(of:))
                else { return nil }
                output.append(high << 4 | low)
            default: output.append(byte)
            }
        }
        return String(validating: output, as: UTF8.self)
    }
}
