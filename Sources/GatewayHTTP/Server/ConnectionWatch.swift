internal import NIOCore
internal import Telemetry

/// Decides when a peer is too slow; no clock of its own, no IO.
///
/// Hearing of bytes costs a comparison each; what they mean is looked at when the connection's timer fires.
struct ConnectionWatch {
    /// What to do after a look.
    enum Verdict: Equatable {
        /// The peer is too slow: close.
        case cut(CutOffLabel)
        /// Something is on its way: look again.
        case lookAgain
        /// Nothing is on its way: no look before the next byte.
        case rest
        /// The gateway has said its last word and the peer had its time to go: close.
        case part
    }

    private enum Reading {
        case nothing
        case head(since: NIODeadline)
        /// The head is whole; the body is awaited, of which something may have come.
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
    ///   - limit: How long a request may take to arrive, and an answer not to move.
    ///   - start: How long its head and the first byte of its body may take; no longer than `limit`.
    init(limit: TimeAmount, start: TimeAmount) {
        self.limit = limit
        self.start = min(limit, start)
    }

    /// Bytes came in; they begin a request when none is on its way.
    mutating func bytesArrived(now: @autoclosure () -> NIODeadline) {
        if case .nothing = reading { reading = .head(since: now()) }
    }

    /// A request's head is whole.
    mutating func headArrived(now: @autoclosure () -> NIODeadline) {
        switch reading {
        case .head(let since): reading = .body(since: since, hasBegun: false)
        // The head came in the same bytes as the end of the request before it.
        case .nothing, .body: reading = .body(since: now(), hasBegun: false)
        }
    }

    /// Bytes of a request's body came.
    mutating func bodyBegan() {
        if case .body(let since, false) = reading { reading = .body(since: since, hasBegun: true) }
    }

    /// A request's body is whole, or nothing more of it will be read.
    mutating func requestArrived() { reading = .nothing }

    /// The gateway writes nothing more; what the peer still sends is not read.
    mutating func ended(now: NIODeadline) { ended = now }

    /// Bytes were given to the socket.
    mutating func wrote(bytes: Int) { written &+= bytes }

    /// Looks at how things stand.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - buffered: Bytes that were written and that the system has not taken.
    ///   - isPeerAwaited: Whether the connection waits for bytes; false while the gateway itself does not read on.
    /// - Returns: What to do.
    mutating func look(now: NIODeadline, buffered: Int, isPeerAwaited: Bool) -> Verdict {
        let verdict = lookAtAnswers(now, buffered)
        if case .cut = verdict { return verdict }
        // Closing at once would cut off the answer of a peer that still sends (RFC 9112 section 9.6).
        if let ended {
            // Its time begins when it has taken all that was written.
            if buffered > 0 { self.ended = now }
            return now - ended >= limit && buffered == 0 ? .part : .lookAgain
        }
        switch reading {
        case .nothing: return verdict
        case .head(let since):
            return now - since >= start ? .cut(.slowHead) : .lookAgain
        case .body(let since, let hasBegun):
            if !isPeerAwaited {
                // The route has not asked for more: the caller is not to blame for this time.
                reading = .body(since: now, hasBegun: hasBegun)
                return .lookAgain
            }
            return now - since >= (hasBegun ? limit : start) ? .cut(.slowBody) : .lookAgain
        }
    }

    private mutating func lookAtAnswers(_ now: NIODeadline, _ buffered: Int) -> Verdict {
        guard buffered > 0 else {
            lastTaken = nil
            return .rest
        }
        let takenNow = written &- buffered
        guard let since = lastTaken, takenNow == taken else {
            taken = takenNow
            lastTaken = now
            return .lookAgain
        }
        return now - since >= limit ? .cut(.slowReader) : .lookAgain
    }
}
