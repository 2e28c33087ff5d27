package import NIOCore

/// The settings and limits of a server.
///
/// Any thread.
package struct HTTP2ServerConfiguration: Sendable {
    /// MAX_CONCURRENT_STREAMS of the first SETTINGS; 0 makes clients wait.
    package var maxConcurrentStreams: UInt32 = 1000

    /// INITIAL_WINDOW_SIZE of the first SETTINGS: the bytes of a request's body before a window update.
    package var initialWindowSize: UInt32 = 65_535

    /// The window of the connection, at least the protocol's 65,535.
    package var connectionWindowSize = 65_535

    /// MAX_HEADER_LIST_SIZE of the first SETTINGS; a request above it is reset.
    package var maxHeaderListSize: UInt32 = 16_384

    /// The most bytes kept of a request's body; a longer one is flagged, so that the response can be 413.
    package var maximumBodyBytes = 65_536

    /// The delay of received bytes, which simulates the round trip to a distant peer; zero for none.
    package var roundTrip: TimeAmount = .zero

    /// The delay of window updates after body bytes; nil for none, with nghttp2's automatic updates.
    package var windowUpdateDelay: TimeAmount?

    /// The number of body bytes after which the TCP connection is reset, usually in the middle of a request; nil for
    /// never.
    package var resetAfterBodyBytes: Int?

    /// The timeout of a client's TLS handshake.
    package var handshakeTimeout: TimeAmount = .seconds(10)

    /// The defaults.
    package init() {}
}
