internal import CSimdjson
internal import TextFormats

/// The words of an enumeration as bytes, so that an event's text can be compared without creating a `String`.
struct EventWords<Word: RawRepresentable & CaseIterable & Sendable>: Sendable where Word.RawValue == String {
    private let words: [Word]
    /// All words, concatenated, and the end of each.
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

    /// Returns the word that equals a text; nil when there is none.
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
