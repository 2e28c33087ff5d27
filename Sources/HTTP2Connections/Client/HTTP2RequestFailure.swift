/// Why a request has no response, split by the one question that matters: may it be sent again? Any thread.
package enum HTTP2RequestFailure: Error, Equatable, Sendable {
    /// The peer provably did not process the request: sending it again is safe.
    ///
    /// It was never sent, its stream is above the last-stream-id of a GOAWAY, or it was reset with REFUSED_STREAM
    /// (RFC 9113 section 8.7). Repeats need a limit of the caller's.
    case unprocessed(Reason)

    /// The peer may have processed the request: sending it again may do the work twice.
    case unknown(Reason)

    /// What happened.
    package enum Reason: Equatable, Sendable {
        /// The request's time ran out, in the queue, on the way or while waiting for the answer.
        case deadline
        /// The peer sent GOAWAY with this error code.
        case goAway(HTTP2ErrorCode)
        /// The peer reset the stream with this error code.
        case reset(HTTP2ErrorCode)
        /// The connection ended; `HTTP2RequestSource.connectionChanged` tells why.
        case connectionLost
        /// The pool was shut down.
        case shutdown
        /// The request could not be put on the wire, or the answer was incomplete.
        case malformed
        /// The bounded queue had no room.
        case queueFull

        /// A metric label from a closed set.
        package var label: String {
            switch self {
            case .deadline: "deadline"
            case .goAway: "goaway"
            case .reset: "reset"
            case .connectionLost: "connection_lost"
            case .shutdown: "shutdown"
            case .malformed: "malformed"
            case .queueFull: "queue_full"
            }
        }
    }

    /// What happened, whichever case it is.
    package var reason: Reason {
        switch self {
        case .unprocessed(let reason), .unknown(let reason): reason
        }
    }

    /// Whether the peer provably did not process the request.
    package var isSafeToResend: Bool {
        if case .unprocessed = self { true } else { false }
    }
}
