internal import TextFormats

/// A check for every input of the strict JSON reader.
///
/// The fuzzer's time limit finds a text that takes longer than its length allows.
enum StrictJSONCheck {
    /// - Parameter input: JSON text, or any other bytes.
    /// - Returns: The failed check; nil for none.
    static func failure(on input: UnsafeRawBufferPointer) -> String? {
        let text = Array(input)
        guard let value = try? StrictJSON.parse(text) else { return nil }
        // In a token 1.0 is not a whole number; elsewhere it may be one, and everything else is the same.
        guard let lenient = try? StrictJSON.parse(text, takesZeroFractions: true) else {
            return "a text is accepted, but not with fractions of zero allowed"
        }
        guard lenient == value || text.contains(UInt8(ascii: ".")) else { return "another value without any fraction" }
        let written = value.sortedText
        guard let again = try? StrictJSON.parse(written) else { return "the written text cannot be parsed" }
        guard again == value else { return "the written text is parsed as another value" }
        guard again.sortedText == written else { return "one value has two texts" }
        return nil
    }
}
