/// What one window may cost, and how long it waits for its client.
package struct WindowLimits: Sendable, Equatable {
    /// How long a client may say nothing: it is pinged at half of it, and closed at its end, each up to a
    /// quarter of a second early.
    package var idleSeconds: Int64
    /// Windows that are open at once, those that are being opened included.
    package var maxOpen: Int
    /// How long a client may take nothing of what is sent to it; no setting, so that what is documented holds.
    package var stallSeconds: Int64

    /// Takes limits; the defaults are those of the settings.
    ///
    /// - Parameters:
    ///   - idleSeconds: How long a client may say nothing, 2 or more.
    ///   - maxOpen: Windows that are open at once, 1 or more.
    ///   - stallSeconds: How long a client may take nothing of what is sent to it, 1 or more.
    package init(idleSeconds: Int64 = 60, maxOpen: Int = 20_000, stallSeconds: Int64 = 15) {
        self.idleSeconds = idleSeconds
        self.maxOpen = maxOpen
        self.stallSeconds = stallSeconds
    }

    /// The longest message of either side, in bytes; a client's is put together from its fragments.
    package static let maxMessageBytes = 65_536
    /// Windows of one consumer: far more than a person has devices and tabs, so that only a loop that has gone wild meets it.
    package static let maxPerConsumer = 50
    /// Messages that a client may send a second for long.
    ///
    /// A person's app sends a few; what follows a burst of pushes is
    /// acknowledged with one frame.
    package static let framesPerSecond: UInt64 = 50
    /// How many of them may come at once.
    package static let frameBurst: UInt64 = 250
    /// Frames that were given to the socket and that it has not taken; with more, news wait and nothing is read.
    static let maxOutstanding = 32
    /// News that wait while messages are read from the store; with more, messages are read from there again instead.
    static let maxBuffered = 256
    /// News that are on their way to a window's event loop; with more, the window is closed and its messages are pushed.
    package static let maxPosted = 2000
    /// Messages of one read of the store.
    package static let pageSize = 20
    /// Conversations that one `resume` may name.
    package static let maxResumed = 500
    /// How long live messages wait for a first frame that may be `resume`, whose messages come before them.
    static let graceNanoseconds: UInt64 = 1_000_000_000
    /// How long a client has for its answer to a close frame.
    static let closingNanoseconds: UInt64 = 5_000_000_000
    /// How long before its end a token's end is announced.
    static let warningSeconds: Int64 = 60
}
