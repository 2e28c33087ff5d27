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
            guard let name = PercentEncoding.decode(parts[0], .form),
                let value = parts.count > 1 ? PercentEncoding.decode(parts[1], .form) : ""
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }
}
