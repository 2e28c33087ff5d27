package import Logging

/// How a simulator is to be started.
package struct SimulatorConfiguration: Sendable {
    /// Where APNs listens.
    package var apns = SimulatorAddress()
    /// Whether APNs is the sandbox's, not production's.
    package var isAPNsSandbox = false
    /// Where FCM and the token endpoint listen.
    package var fcm = SimulatorAddress()
    /// Where the control port listens; nil for none.
    package var control: SimulatorAddress? = SimulatorAddress()
    /// The only client of the identity provider.
    package var clientID = "switchboard"
    /// Its secret.
    package var clientSecret = "simulator secret"
    /// The folder of certificates and credentials; nil for a temporary one, which is removed at the end.
    package var certificates: String?
    /// What the servers show.
    package var certificate = ServerCertificateKind.sound
    /// Whether pushes are only counted, not kept.
    package var isQuiet = false
    /// How many pushes are kept; the oldest go first.
    package var keptPushes = 20_000
    /// MAX_CONCURRENT_STREAMS of an APNs connection until a push was accepted on it.
    package var firstStreams: UInt32 = 1
    /// MAX_CONCURRENT_STREAMS afterwards, and FCM's from the start.
    package var streams: UInt32 = 1000
    /// How much later than it arrives everything is taken up, in milliseconds, 0 to 10,000: a distant provider.
    package var roundTripMilliseconds = 0
    /// The window of each stream for a request's body, in bytes, 1 to 2,147,483,647.
    ///
    /// The window of a connection is the protocol's 65,535 (RFC 9113 section 6.9.2), whatever this is.
    package var streamWindow: UInt32 = 65_535
    /// How long after a body's bytes their window is granted again, in milliseconds, 0 to 10,000; nil for at once.
    package var windowUpdateDelayMilliseconds: Int?
    /// A connection is cut with a reset once this many bytes of bodies have arrived on it; nil for never.
    package var resetAfterBodyBytes: Int?
    /// The simulated devices of APNs by token in lower case, beside which any other token is taken.
    package var apnsDevices: [String: SimulatedDevice] = [:]
    /// The simulated devices of FCM by token.
    package var fcmDevices: [String: SimulatedDevice] = [:]
    /// The wall clock; tests may move it.
    package var clock: @Sendable () -> SimulatorTime = SimulatorTime.now
    /// Gets what the servers have to say, at `debug`.
    package var logger = Logger(label: "push-simulator") { _ in SwiftLogNoOpLogHandler() }

    /// Free ports of the loopback address and a temporary folder.
    package init() {}
}
