import GatewayModel

/// The store as the state machine knows it: as it was after the last commit whose result was delivered.
struct DeliveredState: Sendable {
    /// Unread counts, by the consumer's index.
    var unread: [Int64] = []
    /// The number of reads that lowered the unread count, by the consumer's index.
    var reads: [Int] = []
    /// Read marks, by the conversation's index.
    var marks: [Int64] = []
    /// Consumers' own quiet hours, by index.
    var quietHours: [QuietHours?] = []
    /// The indexes of consumers that were erased.
    var erased: Set<Int> = []
    /// Registrations, by index.
    var registrations: [SimulatedStore.Registration?] = []
}

/// A commit that was applied; its result is not delivered yet.
struct AppliedTurn: Sendable {
    /// Rows that it handed out.
    var arriving: [Int64] = []
    /// Rows that it withdrew.
    var withdrawn: [Int64] = []
    /// The store after it.
    var delivered = DeliveredState()
}
