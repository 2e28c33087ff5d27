package import GatewayStorage

/// What became of one event of a request.
package enum IntakeResult: Sendable, Equatable {
    /// The store has decided: accepted, duplicate or rejected.
    case decided(EventResult)
    /// It was not taken, though earlier ones of its request were: send it again later.
    case failed(IntakeError)
}
