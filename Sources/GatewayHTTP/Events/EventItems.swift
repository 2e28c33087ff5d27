internal import CSimdjson

/// Finds the texts of the events in a body, one after the other.
struct EventItems {
    /// How the texts lie.
    enum Layout: Sendable {
        /// The body is one.
        case one
        /// They are the elements of an array.
        case array
        /// They are lines; blank ones are none.
        case lines
    }

    let text: EventText
    let layout: Layout
    /// How many bytes from the body's start the next one is looked for.
    private(set) var offset: Int
    private var isFirst: Bool

    /// Goes on where another stopped; at offset 0 begins.
    init(_ text: EventText, layout: Layout, offset: Int) {
        self.text = text
        self.layout = layout
        self.offset = offset
        isFirst = offset == 0
        // Behind the bracket.
        if isFirst, layout == .array { self.offset = text.wholeItem.start + 1 - text.at }
    }

    /// The next text; nil behind the last.
    ///
    /// Throws 400 when what lies between the elements of an array is wrong.
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
                // The closing bracket stays where it is, to be found again.
                return nil
            default: throw EventFault.malformed
            }
        case .lines:
            guard event_next_line(&position, text.end, &item, &count) else { return nil }
        }
        guard let position, let item else { return nil }
        offset = position - text.at
        return EventText.Item(start: item, count: count)
    }
}
