/// The state of one connection, as a pool reports it to its source.
///
/// Any thread.
package enum HTTP2ConnectionState: Equatable, Sendable {
    /// The connection is being opened.
    case connecting
    /// The peer's first SETTINGS arrived: requests are pulled.
    case ready(HTTP2ConnectionFacts)
    /// The connection takes no more requests; open streams continue.
    case draining(HTTP2DrainReason)
    /// The connection could not be opened or broke; the pool dials again after its back-off when it needs another.
    case failed(HTTP2ConnectionFailure)
    /// The connection ended gracefully.
    case closed
}

/// The properties of a ready connection.
///
/// Any thread.
package struct HTTP2ConnectionFacts: Equatable, Sendable {
    /// The TLS version, for example `TLSv1.3`.
    package var tlsVersion: String
    /// Whether TLS resumed an earlier session.
    package var isResumed: Bool
    /// The peer's MAX_CONCURRENT_STREAMS; 4,294,967,295 when it set none.
    package var maxConcurrentStreams: UInt32
}

/// The reason why a connection takes no more requests.
///
/// Any thread.
package enum HTTP2DrainReason: Equatable, Sendable {
    /// The peer sent GOAWAY; the reason is the debug data (its JSON member `reason` if there is one), sanitized and
    /// truncated.
    case goAway(HTTP2ErrorCode, reason: String?)
    /// It reached its age limit.
    case age
    /// It was idle.
    case idle
    /// The pool needs fewer connections.
    case spare
    /// The source asked to replace it.
    case blamed
    /// It ran out of stream ids.
    case streamIDsExhausted
    /// A request timed out, and the connection had no response at all in that time.
    case unresponsive
    /// The pool is shutting down.
    case shutdown

    /// A metric label from a closed set.
    package var label: String {
        switch self {
        case .goAway: "goaway"
        case .age: "age"
        case .idle: "idle"
        case .spare: "spare"
        case .blamed: "blamed"
        case .streamIDsExhausted: "stream_ids"
        case .unresponsive: "unresponsive"
        case .shutdown: "shutdown"
        }
    }
}
