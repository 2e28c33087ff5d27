internal import CSimdjson

/// The result of the C++ reader for one text, copied out of its buffers.
struct EventReading: Equatable {
    /// A member, by the kind of value that the reader expects.
    enum Member: Equatable {
        case text(event_shape.RawValue, [UInt8])
        case integer(event_shape.RawValue, Int64)
        case flag(event_shape.RawValue, Bool)
        case shape(event_shape.RawValue)
    }

    /// The status of the text as a whole.
    let status: event_status.RawValue
    /// The members by their names in JSON; those of `agent` and `link` after a dot, `data` of an envelope as `payload`.
    let members: [(name: String, member: Member)]
    /// The hash of a text that was read.
    let hash: UInt64

    static func == (lhs: EventReading, rhs: EventReading) -> Bool {
        lhs.status == rhs.status && lhs.hash == rhs.hash && lhs.members.map(\.member) == rhs.members.map(\.member)
    }

    /// Reads a text from a buffer that ends with it, or with as many bytes after it as the reader may touch; nil
    /// without memory.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - form: The form of the event.
    ///   - spare: The number of bytes after the text that may be read.
    ///   - maxDepth: The depth limit.
    init?(_ text: UnsafeRawBufferPointer, _ form: event_form, spare: Int, maxDepth: Int) {
        guard let parser = event_parser_new(max(text.count, 4096), maxDepth) else { return nil }
        defer { event_parser_delete(parser) }
        // A sanitizer reports the first byte that is read after it.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count + spare, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyMemory(from: text)
        // The bytes after a text must not affect the result.
        for index in text.count..<buffer.count { buffer[index] = UInt8(ascii: "}") }
        let bytes = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var found = event_members()
        let status = event_parser_read(parser, bytes, text.count, buffer.count, form, &found)
        self.status = status.rawValue
        members = status == EVENT_READ ? Self.members(of: found) : []
        hash = status == EVENT_READ ? event_hash(&found, 0) : 0
        validity = event_parser_validate(parser, bytes, text.count, buffer.count).rawValue
    }

    /// The reader's status for the same text as plain JSON.
    let validity: event_status.RawValue

    private static func members(of found: event_members) -> [(name: String, member: Member)] {
        func text(_ text: event_text) -> Member {
            .text(text.shape.rawValue, Array(UnsafeBufferPointer(start: text.bytes, count: text.count)))
        }
        func integer(_ integer: event_integer) -> Member { .integer(integer.shape.rawValue, integer.value) }
        return [
            ("specversion", text(found.spec_version)), ("datacontenttype", text(found.content_type)),
            ("data_base64", .shape(found.base64.rawValue)), ("payload", .shape(found.payload.rawValue)),
            ("id", text(found.identifier)), ("source", text(found.source)), ("type", text(found.type)),
            ("time", text(found.time)), ("consumer", text(found.consumer)),
            ("conversation", text(found.conversation)), ("dialog", text(found.dialog)),
            ("sourceSequence", integer(found.source_sequence)), ("agent", .shape(found.agent.rawValue)),
            ("agent.id", text(found.agent_identifier)), ("agent.nickname", text(found.agent_nickname)),
            ("text", text(found.text)), ("title", text(found.title)), ("data", text(found.data)),
            ("link", .shape(found.link.rawValue)), ("link.ios", text(found.link_ios)),
            ("link.android", text(found.link_android)), ("link.web", text(found.link_web)),
            ("priority", text(found.priority)), ("ttlSeconds", integer(found.ttl_seconds)),
            ("collapseKey", text(found.collapse_key)), ("category", text(found.category)),
            ("sound", text(found.sound)), ("silent", .flag(found.silent.shape.rawValue, found.silent.value)),
            ("kind", text(found.kind)), ("lookBackSeconds", integer(found.look_back_seconds)),
            ("campaign", text(found.campaign)), ("upToSequence", integer(found.up_to_sequence)),
            ("upToSourceSequence", integer(found.up_to_source_sequence)),
            ("upToMessageId", text(found.up_to_message)),
        ]
    }
}
