internal import TextFormats

/// Encodes `application/x-www-form-urlencoded` (RFC 6749 appendix B).
enum FormEncoding {
    /// Returns a form of names and values, in order, as ASCII.
    static func body(_ fields: [(name: String, value: String)]) -> [UInt8] {
        let pairs = fields.map { name, value in
            PercentEncoding.encode(name.utf8, .form) + "=" + PercentEncoding.encode(value.utf8, .form)
        }
        return Array(pairs.joined(separator: "&").utf8)
    }
}
