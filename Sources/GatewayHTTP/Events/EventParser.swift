internal import CSimdjson

/// Owns a parser of `CSimdjson` with its buffers, and the members that it read last.
///
/// One request at a time: the pool hands it out.
final class EventParser {
    /// The longest single event, in bytes.
    static let maxEventBytes = 1 << 20
    /// How deep an event may nest.
    static let maxDepth = 64
    /// A parser that grew past this is not kept: its buffers are about 15 times as large.
    static let keptBytes = 1 << 16

    private let parser: OpaquePointer
    /// What the last call of ``read(_:of:form:)`` found; its texts hold until the next one.
    let members: UnsafeMutablePointer<event_members>

    /// Makes a parser; nil when there is no memory.
    init?() {
        guard let parser = event_parser_new(Self.maxEventBytes, Self.maxDepth) else { return nil }
        self.parser = parser
        members = .allocate(capacity: 1)
        members.initialize(to: event_members())
    }

    deinit {
        members.deinitialize(count: 1)
        members.deallocate()
        event_parser_delete(parser)
    }

    /// Whether it is small enough to be kept for later.
    var isKept: Bool { event_parser_capacity(parser) <= Self.keptBytes }

    /// Reads one event into ``members``.
    func read(_ item: EventText.Item, of text: EventText, form: event_form) -> event_status {
        event_parser_read(parser, item.start, item.count, text.readableEnd - item.start, form, members)
    }

    /// Looks whether a text is JSON, without looking for an event in it.
    func validate(_ item: EventText.Item, of text: EventText) -> event_status {
        event_parser_validate(parser, item.start, item.count, text.readableEnd - item.start)
    }
}

extension event_text {
    /// The text, if the member has one.
    var string: String? {
        guard shape == EVENT_VALUE, let bytes else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
