/// Why APNs refuses a push.
struct APNsRefusal: Error {
    /// Apple's word.
    var reason: APNsReason
    /// With 410 only: when the token was found invalid.
    var timestamp: SimulatorTime?

    init(_ reason: APNsReason, timestamp: SimulatorTime? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}
