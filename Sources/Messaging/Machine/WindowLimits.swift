/// The limits and timeouts of one window.
package struct WindowLimits: Sendable, Equatable {
    /// The idle timeout of a client, 2 or more: it is pinged after half of it, and closed at its end, each up to a
    /// quarter of a second early.
    package var idleSeconds: Int64
    /// The maximum of open windows, including those that are being opened; 1 or more.
    package var maxOpen: Int
    /// The time for which a client may read nothing of what is sent to it, 1 or more; not a setting, so that the
    /// documented value holds.
    package var stallSeconds: Int64

    /// Creates limits; the defaults are those of the settings.
    package init(idleSeconds: Int64 = 60, maxOpen: Int = 20_000, stallSeconds: Int64 = 15) {
        self.idleSeconds = idleSeconds
        self.maxOpen = maxOpen
        self.stallSeconds = stallSeconds
    }

    /// The maximum size of a message in either direction, in bytes; a client's message is assembled from its fragments.
    package static let maxMessageBytes = 65_536
    /// The maximum of windows for one consumer: far more than a person has devices and tabs, so that only a client in a
    /// loop reaches it.
    package static let maxPerConsumer = 50
    /// The sustained rate of a client's messages, per second.
    ///
    /// A person's app sends a few; one frame acknowledges what follows a burst of pushes.
    package static let framesPerSecond: UInt64 = 50
    /// The burst that a client may send at once.
    package static let frameBurst: UInt64 = 250
    /// The maximum of frames that were written to the socket and not flushed; beyond it, changes wait and nothing is
    /// read.
    static let maxOutstanding = 32
    /// The maximum of changes that wait while messages are read from the store; beyond it, messages are read from there
    /// again instead.
    static let maxBuffered = 256
    /// The maximum of changes in flight to a window's event loop; beyond it, the window is closed and its messages are
    /// pushed.
    package static let maxPosted = 2000
    /// The number of messages in one read of the store.
    package static let pageSize = 20
    /// The maximum of conversations in one `resume`.
    package static let maxResumed = 500
    /// The time for which live messages wait for a first frame that may be `resume`, whose messages come before them.
    static let graceNanoseconds: UInt64 = 1_000_000_000
    /// The timeout for the client's response to a close frame.
    static let closingNanoseconds: UInt64 = 5_000_000_000
    /// The time before the expiry of a token at which the expiry is announced.
    static let warningSeconds: Int64 = 60
}
