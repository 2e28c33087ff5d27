internal import CSimdjson
internal import TextFormats

/// The words of an enumeration as bytes, so that each event's need not be made into a `String` to be compared.
struct EventWords<Word: RawRepresentable & CaseIterable & Sendable>: Sendable where Word.RawValue == String {
    private let words: [Word]
    /// All words, one behind the other, and where each ends.
    private let bytes: [UInt8]
    private let ends: [Int]

    init() {
        words = Array(Word.allCases)
        bytes = words.flatMap { Array($0.rawValue.utf8) }
        var end = 0
        ends = words.map {
            end += $0.rawValue.utf8.count
            return end
        }
    }

    /// The word that a text is; nil when it is none.
    subscript(text: event_text) -> Word? {
        let text = UnsafeBufferPointer(start: text.bytes, count: text.count)
        return bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            for (index, end) in ends.enumerated() {
                if areSameBytes(UnsafeBufferPointer(rebasing: bytes[start..<end]), text) { return words[index] }
                start = end
            }
            return nil
        }
    }
}
