package import NIOCore

/// The limits of a client connection and its pool.
///
/// Any thread.
///
/// Defaults follow the ProviderFacts page, F6, which gathers them from the faults of real senders.
package struct HTTP2ConnectionConfiguration: Sendable {
    /// Dial, TLS and the peer's first SETTINGS together: 10 s, since dials that hang for ever have choked real senders.
    package var setupTimeout: TimeAmount = .seconds(10)

    /// A PING goes out after this long without reading: 30 s, below the idle limit of common NATs and firewalls.
    package var pingInterval: TimeAmount = .seconds(30)

    /// The connection is dead when nothing at all was read this long after a PING: 10 s.
    package var pingTimeout: TimeAmount = .seconds(10)

    /// A connection without a stream for this long is closed: 10 min.
    ///
    /// Providers punish frequent reconnecting.
    package var idleTimeout: TimeAmount = .minutes(10)

    /// A connection is replaced at this age, minus up to 20 % of jitter so that not all are replaced at once: 6 h.
    ///
    /// Another is made first, so that no request waits.
    package var maximumAge: TimeAmount = .hours(6)

    /// How much older than that a connection becomes while no other can be made: 5 min.
    package var replacementTimeout: TimeAmount = .minutes(5)

    /// How long we wait for the peer's close_notify or FIN after ours: 1 s.
    package var closeTimeout: TimeAmount = .seconds(1)

    /// How many connections a pool opens at most, when its streams or send windows are what holds it back: 32.
    ///
    /// At least 1. Providers allow several connections and ask that the load be spread evenly (ProviderFacts page, A2).
    /// Over a round trip of 80 ms one window of 65,535 bytes carries 780 bodies of 1 KB a second at best, and half of that
    /// to a peer that grants half a window at a time, as nghttp2 does when it takes up a whole one at once (measured).
    package var maximumConnections = 32

    /// How long all connections of a pool must have been held back before it opens more: 5 ms, so that a burst that one
    /// connection can take is no reason.
    package var growthDelay: TimeAmount = .milliseconds(5)

    /// A pool closes one connection when not all were held back for this long: 5 min.
    ///
    /// Providers punish frequent reconnecting.
    package var shrinkDelay: TimeAmount = .minutes(5)

    /// A pool opens no further connection for this long after a peer took streams away, unless it gives them back before,
    /// or when the process has no place for one: 1 min.
    ///
    /// APNs allows one stream only after some answers of 400, until a push is taken again: further
    /// connections would bring it more of the same. A peer that keeps to its lower limit for longer means it for all.
    package var growthPause: TimeAmount = .minutes(1)

    /// How many streams we open at most, whatever the peer allows: 1,500, the most seen from APNs.
    ///
    /// At least 1.
    package var maximumStreams: Int = 1500

    /// Open one stream only until an answer other than 403 has come.
    ///
    /// APNs token connections ask for it (ProviderFacts page, A2).
    package var oneStreamUntilAccepted = false

    /// Bytes of a response's headers that are kept, with four per header; the rest is dropped.
    package var maximumResponseHeaderBytes = 16_384

    /// Bytes of a response's body that are kept; the rest is read and dropped.
    package var maximumResponseBodyBytes = 16_384

    /// The stream window that we grant: 64 KiB, as much as any provider's answer needs.
    package var initialWindowSize = 65_535

    /// The first wait after a failed dial; see `DialBackoff` for the formula.
    package var backoffBase: TimeAmount = .milliseconds(250)

    /// The longest wait between dials of a peer that refuses us.
    package var backoffCap: TimeAmount = .seconds(30)

    /// The longest wait between dials of a peer that is not there: 3 s, so that pushes leave again within 5 s of its return.
    package var silentBackoffCap: TimeAmount = .seconds(3)

    /// The last stream id to be used; smaller only in tests.
    package var lastStreamID: Int32 = .max

    /// The defaults.
    package init() {}
}
