import GatewayModel

/// A push that a simulated provider has in flight.
struct Flight: Sendable {
    var job: PushJob
    /// The number of pushes that had left by then, including this one.
    var number: Int
    var takenAt: Timestamp
    /// The number of credential changes of its lane by then.
    var credential: Int
    /// The number of its consumer's reads when it was made.
    var reads: Int
    /// The number of earlier attempts, or those of the most tried message that it stands for.
    var tries: Int
    /// The expiry of its own message.
    var expiresAt: Timestamp
    /// Whether its device was imported and no push to it was accepted, as of the commit that handed it out.
    var isImported: Bool
    /// Whether it gets no result before the process ends.
    var isStuck = false
}
