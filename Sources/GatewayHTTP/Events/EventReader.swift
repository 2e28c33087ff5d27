internal import CSimdjson
package import GatewayModel

/// Reads the body of the events route (`http-api.md` section 3) into events.
///
/// Any thread may call. Text that is not JSON refuses the whole request where it is one JSON text, and only its line where
/// it is lines; everything else that is wrong with an event refuses only that event.
package struct EventReader: Sendable {
    /// How many events one request may hold.
    package static let maxEvents = 10_000

    private let parsers = EventParserPool()

    /// Makes a reader; it allocates when it is first used.
    package init() {}

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - body: The whole body. Bytes that may be read beyond it spare a copy of the last event.
    ///   - readable: How many bytes may be read from its start on; at least its own count.
    ///   - format: How it holds events.
    ///   - now: The time that events may not be far from.
    /// - Returns: The events, and what is wrong with those that cannot be taken.
    /// - Throws: `Problem` 400 when the body cannot be read, 413 when it holds too many events.
    package func read(
        _ body: UnsafeBufferPointer<UInt8>,
        readable: Int,
        format: EventFormat,
        now: Timestamp
    ) throws(Problem) -> EventBatch {
        guard let base = body.baseAddress, !body.isEmpty else { throw .unreadable("The body is empty.") }
        return try parsers.withParser { parser throws(Problem) in
            let text = EventText(at: base, end: base + body.count, readableEnd: base + max(readable, body.count))
            switch format {
            case .lines: return try Self.readLines(text, parser, now)
            case .json:
                guard let first = text.first else { throw .unreadable("The body is empty.") }
                if first == UInt8(ascii: "[") { return try Self.readArray(text, parser, now) }
                return try Self.readOne(text, parser, now)
            }
        }
    }

    /// Looks whether a text is one JSON object, strictly: cold routes decode it afterwards with what is more lenient.
    ///
    /// - Parameter text: The text.
    /// - Throws: `Problem` 400 when it is not, 422 when a member of an object in it appears more than once.
    func checkObject(_ text: UnsafeBufferPointer<UInt8>) throws(Problem) {
        try parsers.withParser { parser throws(Problem) in
            let (status, fault) = parser.check(text)
            switch status {
            case EVENT_READ: return
            case EVENT_DUPLICATE:
                throw Problem(
                    invalid: "",
                    "holds the member \(fault?.prefix(64).debugDescription ?? "") more than once"
                )
            default: throw EventFault(status: status, members: parser.members).problem
            }
        }
    }

    private static func readOne(
        _ text: EventText,
        _ parser: EventParser,
        _ now: Timestamp
    ) throws(Problem) -> EventBatch {
        var batch = EventBatch(isBatch: false)
        try add(text.wholeItem, of: text, to: &batch, parser, now, isWholeText: true)
        return batch
    }

    private static func readArray(
        _ text: EventText,
        _ parser: EventParser,
        _ now: Timestamp
    ) throws(Problem) -> EventBatch {
        var batch = EventBatch(isBatch: true)
        var position: UnsafePointer<UInt8>? = text.wholeItem.start + 1
        var item: UnsafePointer<UInt8>?
        var count = 0
        while true {
            switch event_next_element(&position, text.end, batch.count == 0, &item, &count) {
            case EVENT_ARRAY_END: return batch
            case EVENT_ELEMENT:
                guard let item else { throw malformed }
                try checkRoom(batch)
                try add(EventText.Item(start: item, count: count), of: text, to: &batch, parser, now, isWholeText: true)
            default: throw malformed
            }
        }
    }

    private static func readLines(
        _ text: EventText,
        _ parser: EventParser,
        _ now: Timestamp
    ) throws(Problem) -> EventBatch {
        var batch = EventBatch(isBatch: true)
        var position: UnsafePointer<UInt8>? = text.at
        var item: UnsafePointer<UInt8>?
        var count = 0
        while event_next_line(&position, text.end, &item, &count), let item {
            try checkRoom(batch)
            try add(EventText.Item(start: item, count: count), of: text, to: &batch, parser, now, isWholeText: false)
        }
        guard batch.count > 0 else { throw .unreadable("The body holds no event.") }
        return batch
    }

    private static func checkRoom(_ batch: EventBatch) throws(Problem) {
        guard batch.count < maxEvents else {
            throw Problem(.payloadTooLarge, "A request holds at most \(maxEvents) events.")
        }
    }

    /// Reads one event and appends it, or why it cannot be taken; `isWholeText` says that text which is not JSON spoils
    /// the whole request.
    private static func add(
        _ item: EventText.Item,
        of text: EventText,
        to batch: inout EventBatch,
        _ parser: EventParser,
        _ now: Timestamp,
        isWholeText: Bool
    ) throws(Problem) {
        let status = parser.read(item.start, count: item.count, readable: text.readableEnd - item.start)
        if status == EVENT_READ {
            var validator = EventValidator(now: now)
            let hash = event_hash(item.start, item.count)
            if let event = validator.event(parser.members, bodyHash: hash) {
                batch.events.append(event)
            } else {
                let id = validator.readableID(parser.members)
                batch.refused.append(.init(index: batch.count, id: id, problem: Problem(invalid: validator.problems)))
            }
            return
        }
        let fault = EventFault(status: status, members: parser.members)
        if fault.spoilsText && isWholeText || !batch.isBatch && fault.problem.status != 422 { throw fault.problem }
        batch.refused.append(.init(index: batch.count, id: nil, problem: fault.problem))
    }

    private static var malformed: Problem { EventFault.malformed }
}
