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
    /// How often it had been tried, or what it stands for that was tried most.
    var tries: Int
    /// When its own message's time is over.
    var expiresAt: Timestamp
    /// No answer comes before the process ends.
    var isStuck = false
}
