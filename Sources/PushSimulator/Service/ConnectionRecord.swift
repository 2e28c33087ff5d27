internal import Synchronization

/// The simulator's record of one open connection.
///
/// Any thread.
final class ConnectionRecord: Sendable {
    /// The mutable state.
    struct State {
        /// The state of APNs.
        var apns = APNsConnectionState()
        /// Whether the initial limit of one stream was raised.
        var isRaised = false
        /// The number of requests without a response.
        var unanswered = 0
        /// The last-stream-id of a GOAWAY; higher streams are ignored.
        var lastStream = Int32.max
        /// The highest processed stream.
        var highestStream: Int32 = 0
        /// Whether a rule closed the connection.
        var isCut = false
    }

    /// The number of the connection, from 1 over all ports.
    let number: Int
    /// The mutable state.
    ///
    /// No other code is called while the lock is held.
    let state = Mutex(State())

    /// Creates the record of a new connection.
    init(number: Int) {
        self.number = number
    }
}
