/// Comma-separated values (RFC 4180).
enum CSVText {
    /// Splits a record into its fields; nil when a quoted field does not end in it.
    static func fields(_ record: some Sequence<UInt8>) -> [String]? {
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var wasQuote = false
        func end() {
            fields.append(String(decoding: field, as: UTF8.self))
            field = []
        }
        for byte in record {
            switch byte {
            case UInt8(ascii: "\""):
                // A quote within quotes is written twice.
                if wasQuote { field.append(byte) }
                wasQuote = isQuoted
                isQuoted.toggle()
                continue
            case UInt8(ascii: ",") where !isQuoted: end()
            case UInt8(ascii: "\r") where !isQuoted: break
            default: field.append(byte)
            }
            wasQuote = false
        }
        guard !isQuoted else { return nil }
        end()
        return fields
    }
}
