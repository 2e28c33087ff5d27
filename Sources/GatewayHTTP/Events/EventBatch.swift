package import GatewayModel

/// The events of one request or of a piece of it, read and checked, in the order of the request.
package struct EventBatch: Sendable {
    /// An event that cannot be taken.
    package struct Refusal: Sendable, Equatable {
        /// Its place in the batch, from 0.
        package var index: Int
        /// Its id, if it has a readable one.
        package var id: String?
        /// Why.
        package var problem: Problem

        /// Takes a refusal.
        ///
        /// - Parameters:
        ///   - index: Its place in the batch.
        ///   - id: Its id.
        ///   - problem: Why.
        package init(index: Int, id: String?, problem: Problem) {
            self.index = index
            self.id = id
            self.problem = problem
        }
    }

    /// The events that can be taken, in order.
    package var events: [AgentEvent]
    /// Those that cannot, in order.
    package var refused: [Refusal]

    /// How many events it holds.
    package var count: Int { events.count + refused.count }

    /// Starts an empty batch.
    package init() {
        events = []
        refused = []
    }
}
