internal import CSimdjson
package import GatewayModel
package import NIOCore

/// Reads the bodies of the events route, and checks those of others.
///
/// Any thread may call; it keeps parsers between requests.
package struct EventReader: Sendable {
    private let parsers = EventParserPool()

    /// Makes a reader; it allocates when it is first used.
    package init() {}

    /// Begins to read a body of events.
    ///
    /// - Parameters:
    ///   - body: The whole body. Room behind its bytes spares a copy of the last event.
    ///   - format: How it holds events.
    ///   - now: The time that events may not be far from.
    /// - Returns: What gives the events, piece by piece.
    /// - Throws: `Problem` 400 when the body holds nothing, or no array where it must be one.
    package func open(_ body: ByteBuffer, format: EventFormat, now: Timestamp) throws(Problem) -> EventPieces {
        try EventPieces(body: body, format: format, now: now, parsers: parsers)
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
}
