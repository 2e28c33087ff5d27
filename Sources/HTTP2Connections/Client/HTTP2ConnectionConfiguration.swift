package import NIOCore

/// The limits of a client connection and its pool.
///
/// Any thread.
///
/// Defaults follow the ProviderFacts page, F6, which collects them from incidents of real senders.
package struct HTTP2ConnectionConfiguration: Sendable {
    /// The timeout of dial, TLS and the peer's first SETTINGS together: 10 s, since dials that hang for ever have
    /// stopped real senders.
    package var setupTimeout: TimeAmount = .seconds(10)

    /// The time without reading after which a PING is sent: 30 s, below the idle timeout of common NATs and firewalls.
    package var pingInterval: TimeAmount = .seconds(30)

    /// The time after a PING without any bytes read after which the connection is dead: 10 s.
    package var pingTimeout: TimeAmount = .seconds(10)

    /// The time without a stream after which a connection is closed: 10 min.
    ///
    /// Providers punish frequent reconnecting.
    package var idleTimeout: TimeAmount = .minutes(10)

    /// The age at which a connection is replaced, minus up to 20 % of jitter so that not all are replaced at once: 6 h.
    ///
    /// Another is opened first, so that no request waits.
    package var maximumAge: TimeAmount = .hours(6)

    /// The time beyond that age for which a connection stays in use while no other can be opened: 5 min.
    package var replacementTimeout: TimeAmount = .minutes(5)

    /// The timeout for the peer's close_notify or FIN after ours: 1 s.
    package var closeTimeout: TimeAmount = .seconds(1)

    /// The most connections of a pool, when its streams or send windows are the bottleneck: 32.
    ///
    /// At least 1. Providers allow several connections and ask that the load be spread evenly (ProviderFacts page, A2).
    /// Over a round trip of 80 ms one window of 65,535 bytes carries 780 bodies of 1 KB a second at best, and half of
    /// that to a peer that grants half a window at a time, as nghttp2 does when it consumes a whole one at once
    /// (measured).
    package var maximumConnections = 32

    /// The time for which all connections of a pool must have been blocked before it opens more: 5 ms, so that a burst
    /// that one connection can handle is no reason.
    package var growthDelay: TimeAmount = .milliseconds(5)

    /// The time for which not all connections were blocked before a pool closes one: 5 min.
    ///
    /// Providers punish frequent reconnecting.
    package var shrinkDelay: TimeAmount = .minutes(5)

    /// The time for which a pool opens no further connection after a peer lowered its stream limit, unless it raises it
    /// again before, or when the process has no connection left in its budget: 1 min.
    ///
    /// APNs allows only one stream after some 400 responses, until it accepts a push again: further connections would
    /// get the same. A peer that keeps its lower limit for longer means it for all connections.
    package var growthPause: TimeAmount = .minutes(1)

    /// The most streams per connection, whatever the peer allows: 1,500, the highest limit seen from APNs.
    ///
    /// At least 1.
    package var maximumStreams: Int = 1500

    /// Whether only one stream is opened until a response other than 403 has arrived.
    ///
    /// APNs token connections ask for it (ProviderFacts page, A2).
    package var oneStreamUntilAccepted = false

    /// Bytes of a response's headers that are kept, with four per header; the rest is dropped.
    package var maximumResponseHeaderBytes = 16_384

    /// Bytes of a response's body that are kept; the rest is read and dropped.
    package var maximumResponseBodyBytes = 16_384

    /// Our receive window of a stream: 64 KiB, enough for every provider's response.
    package var initialWindowSize = 65_535

    /// The first wait after a failed dial; see `DialBackoff` for the formula.
    package var backoffBase: TimeAmount = .milliseconds(250)

    /// The longest wait between dials of a peer that refuses us.
    package var backoffCap: TimeAmount = .seconds(30)

    /// The longest wait between dials of a peer that is not there: 3 s, so that pushes leave again within 5 s of its
    /// return.
    package var silentBackoffCap: TimeAmount = .seconds(3)

    /// The last stream id to be used; smaller only in tests.
    package var lastStreamID: Int32 = .max

    /// The defaults.
    package init() {}
}
