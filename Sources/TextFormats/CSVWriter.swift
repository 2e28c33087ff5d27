/// Appends rows of CSV (RFC 4180) to an array of bytes.
///
/// Spreadsheets evaluate a cell that begins with `=`, `+`, `-` or `@`, also after white space. Such a text gets an
/// apostrophe in front, so that it stays a text (OWASP, "CSV Injection").
package struct CSVWriter: Sendable {
    /// The characters that begin a formula, in their narrow and wide forms, and those after which some programs begin a
    /// new cell.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []
    private var isAtRowStart = true

    /// Starts with an empty text, with room for a number of bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a text as a quoted field; nil is an empty field.
    package mutating func text(_ text: String?) {
        separate()
        guard let text else { return }
        bytes.append(UInt8(ascii: "\""))
        if let first = text.unicodeScalars.first(where: { $0 != " " }), Self.formulaStarts.contains(first) {
            bytes.append(UInt8(ascii: "'"))
        }
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an integer in decimal; nil is an empty field.
    package mutating func integer(_ number: Int64?) {
        separate()
        if let number { bytes.append(contentsOf: String(number).utf8) }
    }

    /// Ends the row.
    package mutating func endRow() {
        bytes.append(contentsOf: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
        isAtRowStart = true
    }

    private mutating func separate() {
        if !isAtRowStart { bytes.append(UInt8(ascii: ",")) }
        isAtRowStart = false
    }
}
