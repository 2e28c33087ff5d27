internal import CSimdjson
internal import GatewayModel
internal import NIOCore

/// A body of events (SendingMessages page), parsed piece by piece: in memory are the body and one piece.
///
/// Text that is not JSON rejects the whole request when the body is one JSON text, and only its line when the body is
/// lines; every other error of an event rejects only that event. The whole body is checked before the first piece is
/// returned, so that nothing of a rejected body is stored.
package struct EventPieces: Sendable {
    /// The maximum number of events of a request.
    package static let maxEvents = 10_000
    /// The maximum number of events of a piece: the size of one commit (Architecture page, 1).
    package static let pieceEvents = 500

    /// Whether the request is a batch: an array or lines, of any length.
    package let isBatch: Bool

    private let body: ByteBuffer
    private let format: EventFormat
    private let layout: EventItems.Layout
    private let now: Timestamp
    private let parsers: EventParserPool
    /// The offset of the next piece.
    private var offset = 0

    init(body: ByteBuffer, format: EventFormat, now: Timestamp, parsers: EventParserPool) throws(Problem) {
        guard let first = body.readableBytesView.first(where: { !EventText.isSpace($0) }) else {
            throw .unreadable("The body is empty.")
        }
        let isArray = first == UInt8(ascii: "[")
        isBatch = format.isBatch(first: first)
        if case .cloudEventBatch = format, !isArray { throw .unreadable("The body must be a JSON array.") }
        if case .lines = format { layout = .lines } else { layout = isBatch ? .array : .one }
        self.body = body
        self.format = format
        self.now = now
        self.parsers = parsers
    }

    /// Parses the next piece.
    ///
    /// - Returns: The valid events, and the errors of the invalid ones; nil after the last piece.
    /// - Throws: `Problem` 400 when the body cannot be parsed, 413 when it contains too many events: from the first
    ///   call only; 503 when there is no memory for a parser.
    package mutating func next() throws(Problem) -> EventBatch? {
        let isFirst = offset == 0
        let result = body.withUnsafeReadableBytes { raw -> Result<(EventBatch, Int), Problem> in
            Result { () throws(Problem) in
                let bytes = raw.bindMemory(to: UInt8.self)
                // Not empty: the first byte has been read.
                guard let base = bytes.baseAddress else { throw EventParseError.malformed }
                // The allocated memory after the text may be read, whatever its content.
                let end = base + bytes.count
                let text = EventText(at: base, end: end, readableEnd: end + body.writableBytes)
                return try parsers.withParser { parser throws(Problem) in
                    var items = EventItems(text, layout: layout, offset: offset)
                    let piece = try read(&items, parser)
                    if isFirst { try check(items, behind: piece, parser) }
                    return (piece, items.offset)
                }
            }
        }
        let (piece, end) = try result.get()
        offset = end
        return piece.count > 0 ? piece : nil
    }

    private func read(_ items: inout EventItems, _ parser: EventParser) throws(Problem) -> EventBatch {
        var piece = EventBatch()
        while piece.count < Self.pieceEvents, let item = try items.next() {
            try add(item, of: items.text, to: &piece, parser)
        }
        return piece
    }

    /// Checks the rest after the first piece: the number of events, and whether an array is valid JSON to its end.
    private func check(_ items: EventItems, behind piece: EventBatch, _ parser: EventParser) throws(Problem) {
        var items = items
        var count = piece.count
        while let item = try items.next() {
            count += 1
            guard count <= Self.maxEvents else {
                throw Problem(.payloadTooLarge, "A request must have at most \(Self.maxEvents) events.")
            }
            guard layout == .array else { continue }
            let status = parser.validate(item, of: items.text)
            if status != EVENT_READ {
                let fault = EventParseError(status: status, members: parser.members)
                if fault.spoilsText { throw fault.problem }
            }
        }
        guard count > 0 || layout == .array else { throw .unreadable("The body contains no event.") }
    }

    /// Parses one event and appends it, or its error.
    private func add(
        _ item: EventText.Item,
        of text: EventText,
        to piece: inout EventBatch,
        _ parser: EventParser
    ) throws(Problem) {
        let form = format.form
        let status = parser.read(item, of: text, form: form)
        if status == EVENT_READ {
            guard case .binaryCloudEvent(let headers) = format else {
                validate(parser.members, EventValidator(now: now, form: form), &piece)
                return
            }
            headers.lend(to: parser.members) {
                validate(parser.members, EventValidator(now: now, form: form, problems: headers.problems), &piece)
            }
            return
        }
        let fault = EventParseError(status: status, members: parser.members)
        if fault.spoilsText && layout != .lines || !isBatch && fault.problem.status != 422 { throw fault.problem }
        piece.refused.append(.init(index: piece.count, id: nil, problem: fault.problem))
    }

    private func validate(
        _ members: UnsafePointer<event_members>,
        _ validator: EventValidator,
        _ piece: inout EventBatch
    ) {
        var validator = validator
        if let event = validator.event(members) {
            // Moved: a copy would retain each of its texts.
            piece.events.append(consume event)
        } else {
            let id = validator.readableID(members)
            piece.refused.append(.init(index: piece.count, id: id, problem: Problem(invalid: validator.problems)))
        }
    }
}
