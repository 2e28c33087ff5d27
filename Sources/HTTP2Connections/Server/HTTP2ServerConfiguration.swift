package import NIOCore

/// What a server tells and allows its clients.
///
/// Any thread.
package struct HTTP2ServerConfiguration: Sendable {
    /// MAX_CONCURRENT_STREAMS of the first SETTINGS; 0 makes clients wait.
    package var maxConcurrentStreams: UInt32 = 1000

    /// INITIAL_WINDOW_SIZE of the first SETTINGS: what a request's body may use before we take it up.
    package var initialWindowSize: UInt32 = 65_535

    /// The window of the connection, at least the protocol's 65,535.
    package var connectionWindowSize = 65_535

    /// MAX_HEADER_LIST_SIZE of the first SETTINGS, and what a request is reset for exceeding.
    package var maxHeaderListSize: UInt32 = 16_384

    /// Bytes of a request's body that are kept; beyond them the request is flagged, so that it can be answered with 413.
    package var maximumBodyBytes = 65_536

    /// How much later than it arrives everything is taken up: the round trip to a distant peer; zero for none.
    package var roundTrip: TimeAmount = .zero

    /// How long after a body's bytes their window is granted again; nil for at once, as nghttp2 does by itself.
    package var windowUpdateDelay: TimeAmount?

    /// The connection is cut with a reset once this many bytes of bodies have arrived, in the middle of a request as a
    /// rule; nil for never.
    package var resetAfterBodyBytes: Int?

    /// How long a client may take for TLS.
    package var handshakeTimeout: TimeAmount = .seconds(10)

    /// The defaults.
    package init() {}
}
