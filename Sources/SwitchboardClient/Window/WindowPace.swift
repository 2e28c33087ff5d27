/// The pace of a device's messages in a window, below the 50 a second and 250 at once that the gateway accepts.
///
/// It is the generic cell rate algorithm; a pure value.
struct WindowPace: Sendable {
    /// The messages that may be sent at once.
    static let burst = 100
    /// The time in which one more message may be sent: 40 a second.
    static let interval = Duration.milliseconds(25)

    /// The time at which the whole burst may be sent again.
    private var fullAt = Duration.zero

    /// Takes a message; returns false if it must wait.
    mutating func take(at now: Duration) -> Bool {
        guard availableAt <= now else { return false }
        fullAt = max(fullAt, now) + Self.interval
        return true
    }

    /// The time from which a message may be sent.
    var availableAt: Duration { fullAt - Self.interval * (Self.burst - 1) }
}
