/// The numbers of words in the log's counts, on a reader.
struct LogWords {
    private var numbers: [String: UInt16] = [:]
    private var last: UInt16 = 0

    init(_ db: ReadConnection) throws {
        let known = try db.prepare("SELECT id, word FROM log_words")
        while try known.next() {
            let number = UInt16(clamping: known.int64(0))
            numbers[known.string(1)] = number
            last = max(last, number)
        }
    }

    /// Returns the number of a word; one without a stored number gets one for this read only.
    mutating func number(_ word: String) -> UInt16 {
        if let known = numbers[word] { return known }
        last += 1
        numbers[word] = last
        return last
    }

    /// The words of the numbers.
    var names: [UInt16: String] { Dictionary(numbers.map { ($0.value, $0.key) }) { first, _ in first } }
}
