package import GatewayModel

/// The events of one request or of a piece of it, parsed and validated, in the order of the request.
package struct EventBatch: Sendable {
    /// An invalid event.
    package struct Rejection: Sendable, Equatable {
        /// Its index in the batch, from 0.
        package var index: Int
        /// Its id, if it has a readable one.
        package var id: String?
        /// The error.
        package var problem: Problem

        /// Creates an invalid event.
        package init(index: Int, id: String?, problem: Problem) {
            self.index = index
            self.id = id
            self.problem = problem
        }
    }

    /// The valid events, in order.
    package var events: [AgentEvent] = []
    /// The invalid events, in order.
    package var refused: [Rejection] = []

    /// The number of events.
    package var count: Int { events.count + refused.count }

    /// Starts an empty batch.
    package init() {}
}
