/// The numbers of words in the log's counts, on a reader.
struct LogWords {
    private var numbers: [String: UInt16] = [:]

    init(_ db: OpaquePointer) throws {
        let known = try Statement(db, "SELECT id, word FROM log_words")
        while try known.next() { numbers[known.string(1)] = UInt16(clamping: known.int64(0)) }
    }

    /// The number of a word; one that the writer has not met gets a number of its own for this answer.
    mutating func number(_ word: String) -> UInt16 {
        if let known = numbers[word] { return known }
        let number = UInt16(clamping: numbers.count + 1)
        numbers[word] = number
        return number
    }

    /// The words of the numbers.
    var names: [UInt16: String] { Dictionary(numbers.map { ($0.value, $0.key) }) { first, _ in first } }
}
