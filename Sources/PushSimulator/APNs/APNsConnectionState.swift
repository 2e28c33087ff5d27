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
    /// Whether a push has been accepted: until then only one stream is allowed.
    package internal(set) var hasAcceptedPush = false

    /// A connection on which nothing was sent yet.
    package init() {}
}
