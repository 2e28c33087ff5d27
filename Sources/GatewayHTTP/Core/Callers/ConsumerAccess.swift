internal import GatewayModel
internal import GatewayStorage

/// The consumer for whom a device route acts.
struct ConsumerAccess: Sendable {
    /// The brand.
    var brand: Brand
    /// The consumer.
    var consumer: ConsumerID
    /// The calling session; nil for back-ends.
    var session: StoredSession?

    /// The device that the session is bound to; nil for unbound sessions and for back-ends.
    var boundDevice: DeviceID? { session?.device }

    /// Rejects a session's access to another device than its own: 403, because the session is authenticated.
    func require(device: DeviceID) throws(Problem) {
        guard boundDevice == nil || boundDevice == device else {
            throw Problem.foreignDevice
        }
    }
}

extension Problem {
    /// The error for a session's access to another device than its own.
    static let foreignDevice = Problem(.forbidden, "The session belongs to another device.")
}
