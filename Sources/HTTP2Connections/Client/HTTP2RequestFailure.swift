/// The error of a request without a response.
///
/// The cases say whether it may be sent again. Any thread.
package enum HTTP2RequestFailure: Error, Equatable, Sendable {
    /// The peer certainly did not process the request: sending it again is safe.
    ///
    /// It was never sent, its stream is above the last-stream-id of a GOAWAY, or it was reset with REFUSED_STREAM
    /// (RFC 9113 section 8.7). The caller must limit repeats.
    case unprocessed(Reason)

    /// The peer may have processed the request: sending it again may process it twice.
    case unknown(Reason)

    /// The cause of the failure.
    package enum Reason: Equatable, Sendable {
        /// The request timed out: in the queue, while it was sent or while waiting for the response.
        case deadline
        /// The peer sent GOAWAY with this error code.
        case goAway(HTTP2ErrorCode)
        /// The peer reset the stream with this error code.
        case reset(HTTP2ErrorCode)
        /// The connection ended; `HTTP2RequestSource.connectionChanged` receives the reason.
        case connectionLost
        /// The pool was shut down.
        case shutdown
        /// The request could not be encoded, or the response was incomplete.
        case malformed
        /// The bounded queue was full.
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

    /// The cause of the failure, for both cases.
    package var reason: Reason {
        switch self {
        case .unprocessed(let reason), .unknown(let reason): reason
        }
    }
}
