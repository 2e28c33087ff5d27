package import GatewayStorage

/// The result of one event of a request.
package enum IntakeResult: Sendable, Equatable {
    /// The store has decided: accepted, duplicate or rejected.
    case decided(EventResult)
    /// It was not taken, although earlier events of its request were: send it again later.
    case failed(IntakeError)
}
