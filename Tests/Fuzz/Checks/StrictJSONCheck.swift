internal import Identity

/// What holds for every text that the strict JSON reader is given.
///
/// That it takes no longer than its length allows is the fuzzer's time limit to find.
enum StrictJSONCheck {
    /// - Parameter input: JSON text, or what may look like it.
    /// - Returns: What did not hold.
    static func failure(on input: UnsafeRawBufferPointer) -> String? {
        let text = Array(input)
        guard let value = try? StrictJSON.parse(text) else { return nil }
        // In a token 1.0 is no whole number; elsewhere it may be one, and everything else stays as it is.
        guard let lenient = try? StrictJSON.parse(text, takesZeroFractions: true) else {
            return "a text is taken, but not where fractions of zero are"
        }
        guard lenient == value || text.contains(UInt8(ascii: ".")) else { return "another value without any fraction" }
        var written: [UInt8] = []
        guard value.write(to: &written) else { return nil }
        guard let again = try? StrictJSON.parse(written) else { return "what was written cannot be read" }
        guard again == value else { return "what was written is read as another value" }
        var twice: [UInt8] = []
        guard again.write(to: &twice), twice == written else { return "one value has two texts" }
        return nil
    }
}
