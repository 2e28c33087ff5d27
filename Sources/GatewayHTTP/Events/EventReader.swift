package import GatewayModel
package import NIOCore

/// Reads the bodies of the events route.
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
}
