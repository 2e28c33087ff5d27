import DequeModule
import GatewayModel

/// The registrations of a lane with a row that may leave, by the class of that row and in the order in which they became so.
struct ReadyQueue: Sendable {
    private var agent: Deque<RegistrationID> = []
    private var badge: Deque<RegistrationID> = []
    private var proactive: Deque<RegistrationID> = []

    var isEmpty: Bool { agent.isEmpty && badge.isEmpty && proactive.isEmpty }

    /// The class of what leaves next; nil when nothing may.
    var firstClass: PushClass? {
        agent.isEmpty ? (badge.isEmpty ? (proactive.isEmpty ? nil : .proactive) : .badge) : .agent
    }

    mutating func append(_ id: RegistrationID, _ pushClass: PushClass) {
        switch pushClass {
        case .agent: agent.append(id)
        case .badge: badge.append(id)
        case .proactive: proactive.append(id)
        }
    }

    /// Takes the registration that leaves next.
    mutating func popFirst() -> RegistrationID? { agent.popFirst() ?? badge.popFirst() ?? proactive.popFirst() }

    /// Forgets a registration, in time that grows with those of its class.
    mutating func remove(_ id: RegistrationID, _ pushClass: PushClass) {
        switch pushClass {
        case .agent: agent.removeAll { $0 == id }
        case .badge: badge.removeAll { $0 == id }
        case .proactive: proactive.removeAll { $0 == id }
        }
    }
}
