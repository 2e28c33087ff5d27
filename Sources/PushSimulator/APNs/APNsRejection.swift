/// The error with which APNs rejects a push.
struct APNsRejection: Error {
    /// Apple's reason.
    var reason: APNsReason
    /// Only with 410: the time when the token became invalid.
    var timestamp: SimulatorTime?

    init(_ reason: APNsReason, timestamp: SimulatorTime? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}
