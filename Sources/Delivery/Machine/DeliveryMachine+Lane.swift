import DequeModule
package import GatewayModel

extension DeliveryMachine {
    /// One way out: what it holds in memory, what waits for it in the store, and whether it may send.
    package struct Lane: Sendable {
        /// Whether a lane's credential works.
        package enum Breaker: Sendable, Equatable {
            /// It works.
            case closed
            /// It was refused: nothing leaves before this moment.
            case open(until: Timestamp)
            /// One push is on its way to see whether it works again.
            case trying
        }

        /// Rows in memory: waiting or on their way.
        package internal(set) var rows = 0
        /// Rows on their way.
        package internal(set) var inFlight = 0
        /// When the first row that waits in the store is due; nil when none waits.
        package internal(set) var backlog: Timestamp?
        /// Whether the credential works.
        package internal(set) var breaker = Breaker.closed
        /// The provider asked the whole lane to slow down until then.
        package internal(set) var pausedUntil: Timestamp?

        /// Registrations with a row that may leave, in the order in which they became so.
        var ready: Deque<RegistrationID> = []
        /// How often in a row the credential was refused.
        var refusals = 0
        /// How many tokens in a row were quarantined.
        var quarantined = 0
        /// The backlog that arrived while a claim was under way is kept through the claim's answer.
        var backlogDuringTurn: Timestamp?
        /// It has no credential, or its app or brand is gone: nothing is taken for it until it is started over.
        var isRemoved = false

        init(backlog: Timestamp? = nil) { self.backlog = backlog }

        mutating func noteBacklog(due: Timestamp) {
            backlog = min(backlog ?? due, due)
            backlogDuringTurn = min(backlogDuringTurn ?? due, due)
        }

        /// When the lane may next send, if not now.
        func blockedUntil(now: Timestamp) -> Timestamp? {
            var until: Timestamp?
            if let pausedUntil, pausedUntil > now { until = pausedUntil }
            if case .open(let end) = breaker, end > now { until = max(until ?? end, end) }
            return until
        }
    }
}
