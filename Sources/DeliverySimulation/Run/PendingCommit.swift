import GatewayModel
import GatewayStorage

/// A commit that the writer waits for.
struct PendingCommit {
    /// What the store will do with it.
    enum Fate {
        case good
        /// It fails, and nothing of it is stored.
        case unavailable
        /// A row of it breaks a rule of the schema.
        case poisoned
    }

    var turn: WriterTurn
    var fate: Fate
    /// It is one part of a turn that was refused.
    var isPart = false
    /// Set when it is on disk.
    var applied: (result: WriterTurnResult, turn: AppliedTurn)?
}
