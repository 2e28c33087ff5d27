internal import CSimdjson

/// A parser of `CSimdjson` with its buffers, and the members that it read last.
///
/// Used by one request at a time: the pool lends it.
final class EventParser {
    /// The maximum length of a single event, in bytes.
    static let maxEventBytes = 1 << 20
    /// The maximum nesting depth of an event.
    static let maxDepth = 64
    /// A parser whose buffers grew for more than this is not kept: they are about 15 times as large.
    static let keptBytes = 1 << 16

    private let parser: OpaquePointer
    /// The result of the last call of ``read(_:of:form:)``; its texts are valid until the next call.
    let members: UnsafeMutablePointer<event_members>

    /// Creates a parser; nil when there is no memory.
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

    /// Whether it is small enough to be kept.
    var isKept: Bool { event_parser_capacity(parser) <= Self.keptBytes }

    /// Reads one event into ``members``.
    func read(_ item: EventText.Item, of text: EventText, form: event_form) -> event_status {
        event_parser_read(parser, item.start, item.count, text.readableEnd - item.start, form, members)
    }

    /// Checks whether a text is JSON, without looking for an event in it.
    func validate(_ item: EventText.Item, of text: EventText) -> event_status {
        event_parser_validate(parser, item.start, item.count, text.readableEnd - item.start)
    }
}

extension event_text {
    /// The member's text, if it has one.
    var string: String? {
        guard shape == EVENT_VALUE, let bytes else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
