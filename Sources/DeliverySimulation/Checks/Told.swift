import GatewayModel

/// What the machine has been told of the store: the store as it was after the last commit that was answered.
struct Told: Sendable {
    /// Unread counts, by the consumer's place.
    var unread: [Int64] = []
    /// How often a read lowered the unread count, by the consumer's place.
    var reads: [Int] = []
    /// Read marks, by the conversation's place.
    var marks: [Int64] = []
    /// Their own quiet hours, by the consumer's place.
    var quietHours: [QuietHours?] = []
    /// The places of consumers that were erased.
    var erased: Set<Int> = []
    /// Registrations, by their place.
    var registrations: [SimulatedStore.Registration?] = []
}

/// A commit that was applied; its result is not told yet.
struct AppliedTurn: Sendable {
    /// Rows that it handed out.
    var arriving: [Int64] = []
    /// Rows that it ended without an answer.
    var withdrawn: [Int64] = []
    /// The store as it left it.
    var told = Told()
}
