/// The state that APNs keeps for one connection.
package struct APNsConnectionState: Sendable {
    /// The current provider token, verified, exactly as in the header.
    struct Current: Sendable {
        var authorization: String
        var keyID: String
        var teamID: String
        var issuedAtSeconds: Int64
        var firstUse: SimulatorTime
        var topics: Set<String>
    }

    var current: Current?
    /// The client certificate; with one, tokens are ignored.
    package var certificate: APNsClientCertificate?
    /// The topic and push type of the last valid push, so that a sender's usual ones are checked only once.
    var lastTarget: (topic: String, pushType: String?, bundleID: String)?

    /// Creates the state of a new connection.
    package init() {}
}
