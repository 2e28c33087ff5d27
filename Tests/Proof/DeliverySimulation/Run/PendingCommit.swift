import GatewayModel
import GatewayStorage

/// A commit that the writer waits for.
struct PendingCommit {
    /// The result that the store will return.
    enum Fate {
        case good
        /// It fails, and nothing of it is stored.
        case unavailable
        /// A row of it violates a constraint.
        case poisoned
    }

    var turn: WriterTurn
    var fate: Fate
    /// Whether it is one part of a turn that was rejected.
    var isPart = false
    /// Set when it is on disk.
    var applied: (result: WriterTurnResult, turn: AppliedTurn)?
}
