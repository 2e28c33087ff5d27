package import Logging

/// The configuration of a simulator.
package struct SimulatorConfiguration: Sendable {
    /// The listening address of APNs.
    package var apns = SimulatorAddress()
    /// Whether APNs simulates the sandbox instead of production.
    package var isAPNsSandbox = false
    /// The listening address of FCM and the token endpoint.
    package var fcm = SimulatorAddress()
    /// The address of the control port; nil for none.
    package var control: SimulatorAddress? = SimulatorAddress()
    /// The only client of the identity provider.
    package var clientID = "switchboard"
    /// The secret of the client.
    package var clientSecret = "simulator secret"
    /// The folder of certificates and credentials; nil for a temporary one, which is removed at the end.
    package var certificates: String?
    /// The kind of the servers' certificate.
    package var certificate = ServerCertificateKind.sound
    /// Whether pushes are only counted, not kept.
    package var isQuiet = false
    /// The most stored pushes; the oldest are dropped.
    package var keptPushes = 20_000
    /// MAX_CONCURRENT_STREAMS of an APNs connection until a push was accepted on it.
    package var firstStreams: UInt32 = 1
    /// MAX_CONCURRENT_STREAMS afterwards, and FCM's from the start.
    package var streams: UInt32 = 1000
    /// The delay of received bytes in milliseconds, 0 to 10,000, to simulate a distant provider.
    package var roundTripMilliseconds = 0
    /// The window of each stream for a request's body, in bytes, 1 to 2,147,483,647.
    ///
    /// The window of a connection is the protocol's 65,535 (RFC 9113 section 6.9.2), whatever this is.
    package var streamWindow: UInt32 = 65_535
    /// The delay of window updates after body bytes in milliseconds, 0 to 10,000; nil for none.
    package var windowUpdateDelayMilliseconds: Int?
    /// The number of body bytes after which a TCP connection is reset; nil for never.
    package var resetAfterBodyBytes: Int?
    /// The simulated devices of APNs by token in lower case; any other token is accepted too.
    package var apnsDevices: [String: SimulatedDevice] = [:]
    /// The simulated devices of FCM by token.
    package var fcmDevices: [String: SimulatedDevice] = [:]
    /// The wall clock; tests may replace it.
    package var clock: @Sendable () -> SimulatorTime = SimulatorTime.now
    /// The logger of the servers, at `debug`.
    package var logger = Logger(label: "push-simulator") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a configuration with free ports of the loopback address and a temporary folder.
    package init() {}
}
