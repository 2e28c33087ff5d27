internal import GatewayModel
internal import GatewayStorage

/// For whom a device route acts.
struct ConsumerAccess: Sendable {
    /// The brand.
    var brand: Brand
    /// The consumer.
    var consumer: ConsumerID
    /// The session that asks; nil for back-ends.
    var session: StoredSession?

    /// The device that the session is bound to; nil for unbound sessions and for back-ends.
    var boundDevice: DeviceID? { session?.device }

    /// Refuses what a session does for another device than its own: 403, for the identity is right.
    func require(device: DeviceID) throws(Problem) {
        guard boundDevice == nil || boundDevice == device else {
            throw Problem.foreignDevice
        }
    }
}

extension Problem {
    /// What a session does for another device than its own.
    static let foreignDevice = Problem(.forbidden, "The session belongs to another device.")
}
