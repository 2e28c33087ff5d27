internal import NIOCore
internal import Telemetry

/// Decides when a peer is too slow; it has no clock and performs no I/O.
///
/// Recording bytes costs one comparison each; they are evaluated when the connection's timer fires.
struct SlowPeerDetector {
    /// The result of a check.
    enum Verdict: Equatable {
        /// The peer is too slow: close.
        case cut(CutOffLabel)
        /// A transfer is in progress: check again.
        case checkAgain
        /// No transfer is in progress: no check before the next byte.
        case idle
        /// The gateway has sent its last response and the peer had time to read it: close.
        case close
    }

    private enum Reading {
        case nothing
        case handshake(since: NIODeadline)
        case head(since: NIODeadline)
        /// The head is complete; the body is expected, and some of it may have arrived.
        case body(since: NIODeadline, hasBegun: Bool)
    }

    private let limit: TimeAmount
    private let start: TimeAmount
    private var reading = Reading.nothing
    private var written = 0
    private var taken = 0
    private var lastTaken: NIODeadline?
    private var ended: NIODeadline?

    /// Waits for the first byte.
    ///
    /// - Parameters:
    ///   - limit: The timeout for a request to arrive, and for a response without progress.
    ///   - start: The timeout for its head and the first byte of its body, and for a TLS handshake; no longer than
    ///     `limit`.
    init(limit: TimeAmount, start: TimeAmount) {
        self.limit = limit
        self.start = min(limit, start)
    }

    /// Records an accepted connection whose peer must complete a TLS handshake.
    mutating func handshakeBegan(now: NIODeadline) { reading = .handshake(since: now) }

    /// Records a complete TLS handshake.
    mutating func handshakeEnded() { if case .handshake = reading { reading = .nothing } }

    /// Records incoming bytes; they begin a request when none is in progress.
    mutating func bytesArrived(now: @autoclosure () -> NIODeadline) {
        if case .nothing = reading { reading = .head(since: now()) }
    }

    /// Records a complete head of a request.
    mutating func headArrived(now: @autoclosure () -> NIODeadline) {
        switch reading {
        case .head(let since): reading = .body(since: since, hasBegun: false)
        // The head arrived in the same bytes as the end of the request before it.
        case .nothing, .handshake, .body: reading = .body(since: now(), hasBegun: false)
        }
    }

    /// Records bytes of a request's body.
    mutating func bodyBegan() {
        if case .body(let since, false) = reading { reading = .body(since: since, hasBegun: true) }
    }

    /// Records the end of a request's body, or that nothing more of it will be read.
    mutating func requestArrived() { reading = .nothing }

    /// Records that the gateway writes nothing more; further bytes of the peer are not read.
    mutating func ended(now: NIODeadline) { ended = now }

    /// Records bytes that were written to the socket.
    mutating func wrote(bytes: Int) { written &+= bytes }

    /// Checks the state of the connection.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - buffered: Written bytes that the operating system has not taken.
    ///   - isPeerAwaited: Whether the connection waits for bytes; false while the gateway itself does not read.
    /// - Returns: The result.
    mutating func check(now: NIODeadline, buffered: Int, isPeerAwaited: Bool) -> Verdict {
        let verdict = checkResponses(now, buffered)
        if case .cut = verdict { return verdict }
        // Closing at once would cut off the response of a peer that still sends (RFC 9112 section 9.6).
        if let ended {
            // Its time begins when it has received all that was written.
            if buffered > 0 { self.ended = now }
            return now - ended >= limit && buffered == 0 ? .close : .checkAgain
        }
        switch reading {
        case .nothing: return verdict
        case .handshake(let since):
            return now - since >= start ? .cut(.slowHandshake) : .checkAgain
        case .head(let since):
            return now - since >= start ? .cut(.slowHead) : .checkAgain
        case .body(let since, let hasBegun):
            if !isPeerAwaited {
                // The route has not asked for more: this time does not count against the caller.
                reading = .body(since: now, hasBegun: hasBegun)
                return .checkAgain
            }
            return now - since >= (hasBegun ? limit : start) ? .cut(.slowBody) : .checkAgain
        }
    }

    private mutating func checkResponses(_ now: NIODeadline, _ buffered: Int) -> Verdict {
        guard buffered > 0 else {
            lastTaken = nil
            return .idle
        }
        let takenNow = written &- buffered
        guard let since = lastTaken, takenNow == taken else {
            taken = takenNow
            lastTaken = now
            return .checkAgain
        }
        return now - since >= limit ? .cut(.slowReader) : .checkAgain
    }
}
