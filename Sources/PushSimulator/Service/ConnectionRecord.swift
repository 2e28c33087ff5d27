internal import Synchronization

/// What the simulator remembers of one open connection.
///
/// Any thread.
final class ConnectionRecord: Sendable {
    /// The changing part.
    struct State {
        /// What APNs remembers.
        var apns = APNsConnectionState()
        /// Whether the limit of one stream was lifted.
        var isRaised = false
        /// Requests without an answer so far.
        var unanswered = 0
        /// Streams above this were disowned by a GOAWAY.
        var lastStream = Int32.max
        /// The highest stream that was taken up.
        var highestStream: Int32 = 0
        /// Whether a rule cut the connection.
        var isCut = false
    }

    /// Counts from 1 over all ports.
    let number: Int
    /// The changing part.
    ///
    /// Nothing is called out to while it is held.
    let state = Mutex(State())

    /// Starts with nothing sent.
    init(number: Int) {
        self.number = number
    }
}
