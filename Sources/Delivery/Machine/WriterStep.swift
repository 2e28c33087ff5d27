package import GatewayModel
package import GatewayStorage

/// What the writer does next.
package enum WriterStep: Sendable {
    /// Commit this, and say what became of it.
    case commit(WriterCommit)
    /// Nothing waits, and the store failed last time: see whether it takes writes again, and say so.
    case probe
    /// Nothing is to be done before this moment, or before something is asked; nil is without end.
    case sleep(until: Timestamp?)
    /// It was asked to stop, and nothing is left to do.
    case done
}

/// One commit.
package struct WriterCommit: Sendable {
    /// What is committed: a turn, or one part of a turn that the store refused.
    package var turn: WriterTurn
    /// When the requests in it were taken, on the monotonic clock, in nanoseconds; empty for a part of a turn.
    package var takenAt: [UInt64] = []
}

/// What follows from what became of a commit or a probe, for the shell to carry out.
package struct WriterEffects<EventCaller: Sendable, ChangeCaller: Sendable>: Sendable {
    /// A failure that operators should know of.
    package enum Failure: Sendable, Equatable {
        /// A row of the turn broke a rule of the schema: the turn is done part by part.
        case splits
        /// A part of a turn broke one: what it is about cannot be stored.
        case poison
        /// The store fails, and nothing is taken until it answers again; not new while it goes on failing in the same way.
        case store(isNew: Bool)
    }

    /// Requests with events that are answered now.
    package var events: [(caller: EventCaller, outcome: Result<[IntakeResult], IntakeError>)] = []
    /// Changes that are answered now.
    package var changes: [(caller: ChangeCaller, outcome: Result<StoreChangeResult, IntakeError>)] = []
    /// Lanes that have something to send now.
    package var lanes: Set<LaneID> = []
    /// What went wrong, if anything.
    package var failure: Failure?
    /// Whether the store answers again after it had failed.
    package var isRecovered = false
}
