import GatewayModel

/// A push that a simulated provider has on its way.
struct Flight: Sendable {
    var job: PushJob
    /// How many pushes had left by then, with this one.
    var number: Int
    var takenAt: Timestamp
    /// How often its lane had got another credential.
    var credential: Int
    /// How often its consumer had read when it was made.
    var reads: Int
    /// No answer comes before the process ends.
    var isStuck = false
}
