/// What APNs remembers of one connection.
package struct APNsConnectionState: Sendable {
    /// The provider token in force, verified, exactly as the header said it.
    struct Current: Sendable {
        var authorization: String
        var keyID: String
        var teamID: String
        var issuedAtSeconds: Int64
        var firstUse: SimulatorTime
        var topics: Set<String>
    }

    var current: Current?
    /// What the client signed in with; tokens are ignored beside it.
    package var certificate: APNsClientCertificate?
    /// The topic and push type that the last push was found right with, so that a sender's usual ones are looked at once.
    var lastTarget: (topic: String, pushType: String?, bundleID: String)?

    /// A connection on which nothing was sent yet.
    package init() {}
}
