package import GatewayModel
package import NIOCore

/// Parses the bodies of the events route.
///
/// Usable from any thread; it keeps parsers between requests.
package struct EventReader: Sendable {
    let parsers = EventParserPool()

    /// Creates a reader; it allocates on first use.
    package init() {}

    /// Starts to parse a body of events.
    ///
    /// - Parameters:
    ///   - body: The whole body. Spare capacity after its bytes avoids a copy of the last event.
    ///   - format: The body's format.
    ///   - now: The time that events are compared with.
    /// - Returns: The events, piece by piece.
    /// - Throws: `Problem` 400 when the body is empty, or is not an array where it must be one.
    package func open(_ body: ByteBuffer, format: EventFormat, now: Timestamp) throws(Problem) -> EventPieces {
        try EventPieces(body: body, format: format, now: now, parsers: parsers)
    }
}
