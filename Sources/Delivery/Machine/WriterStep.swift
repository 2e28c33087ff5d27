package import GatewayModel
package import GatewayStorage
package import Telemetry

/// The next step of the writer.
package enum WriterStep: Sendable {
    /// Commit this, and pass in the result.
    case commit(WriterCommit)
    /// Nothing waits, and the store failed last time: check whether it accepts writes again, and pass in the result.
    case probe
    /// Nothing is due before this time or a new request; nil has no end.
    case sleep(until: Timestamp?)
    /// It was stopped, and nothing is left to do.
    case done
}

/// One commit.
package struct WriterCommit: Sendable {
    /// The contents: a turn, or one part of a turn that the store rejected.
    package var turn: WriterTurn
    /// The times at which its requests were taken, on the monotonic clock, in nanoseconds; empty for a part of a turn.
    package var takenAt: [UInt64] = []
    /// The spans that store its requests; empty if no trace of them is recorded, and for a part of a turn.
    package var traces: [SpanIdentity?] = []
}

/// The effects of a commit's or a probe's result, for the shell to carry out.
package struct WriterEffects<EventCaller: Sendable, ChangeCaller: Sendable>: Sendable {
    /// A failure that operators should know about.
    package enum Failure: Sendable, Equatable {
        /// A row of the turn violated a constraint: the turn is committed part by part.
        case splits
        /// A part of a turn violated a constraint: its item cannot be stored.
        case poison
        /// The store fails, and nothing is taken until it works again; not new while it keeps failing in the same way.
        case store(isNew: Bool)
    }

    /// Requests for events that are complete now.
    package var events: [(caller: EventCaller, outcome: Result<[IntakeResult], IntakeError>)] = []
    /// Changes that are complete now.
    package var changes: [(caller: ChangeCaller, outcome: Result<StoreChangeResult, IntakeError>)] = []
    /// Lanes that have something to send now.
    package var lanes: Set<LaneID> = []
    /// The failure, if any.
    package var failure: Failure?
    /// Whether the store works again after a failure.
    package var isRecovered = false
}
