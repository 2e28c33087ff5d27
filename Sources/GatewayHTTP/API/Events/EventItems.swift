internal import CSimdjson

/// Finds the texts of the events in a body, one after the other.
struct EventItems {
    /// The layout of the texts.
    enum Layout: Sendable {
        /// The body is one text.
        case one
        /// The texts are the elements of an array.
        case array
        /// The texts are lines; blank lines are skipped.
        case lines
    }

    let text: EventText
    let layout: Layout
    /// The offset from the body's start at which the next text is searched.
    private(set) var offset: Int
    private var isFirst: Bool

    /// Continues at the offset of another; at offset 0 begins.
    init(_ text: EventText, layout: Layout, offset: Int) {
        self.text = text
        self.layout = layout
        self.offset = offset
        isFirst = offset == 0
        // After the bracket.
        if isFirst, layout == .array { self.offset = text.wholeItem.start + 1 - text.at }
    }

    /// Returns the next text; nil after the last one.
    ///
    /// Throws 400 when the text between the elements of an array is invalid.
    mutating func next() throws(Problem) -> EventText.Item? {
        var position: UnsafePointer<UInt8>? = text.at + offset
        var item: UnsafePointer<UInt8>?
        var count = 0
        defer { isFirst = false }
        switch layout {
        case .one:
            guard isFirst else { return nil }
            offset = text.end - text.at
            return text.wholeItem
        case .array:
            switch event_next_element(&position, text.end, isFirst, &item, &count) {
            case EVENT_ELEMENT: break
            case EVENT_ARRAY_END:
                // The closing bracket is not consumed, so that it is found again.
                return nil
            default: throw EventParseError.malformed
            }
        case .lines:
            guard event_next_line(&position, text.end, &item, &count) else { return nil }
        }
        guard let position, let item else { return nil }
        offset = position - text.at
        return EventText.Item(start: item, count: count)
    }
}
