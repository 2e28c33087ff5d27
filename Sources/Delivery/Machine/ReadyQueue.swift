import DequeModule
import GatewayModel

/// The registrations of a lane with a row that may leave, by the class of that row and in the order in which they
/// became ready.
struct ReadyQueue: Sendable {
    private var agent: Deque<RegistrationID> = []
    private var badge: Deque<RegistrationID> = []
    private var proactive: Deque<RegistrationID> = []

    var isEmpty: Bool { agent.isEmpty && badge.isEmpty && proactive.isEmpty }

    /// The class of the row that leaves next; nil when none may leave.
    var firstClass: PushClass? {
        agent.isEmpty ? (badge.isEmpty ? (proactive.isEmpty ? nil : .proactive) : .badge) : .agent
    }

    /// The registrations that are the first of their class.
    var firsts: [RegistrationID] { [agent.first, badge.first, proactive.first].compactMap(\.self) }

    mutating func append(_ id: RegistrationID, _ pushClass: PushClass) {
        switch pushClass {
        case .agent: agent.append(id)
        case .badge: badge.append(id)
        case .proactive: proactive.append(id)
        }
    }

    /// Removes and returns the registration that leaves next.
    mutating func popFirst() -> RegistrationID? { agent.popFirst() ?? badge.popFirst() ?? proactive.popFirst() }

    /// Removes a registration, in time linear in the number of those of its class.
    mutating func remove(_ id: RegistrationID, _ pushClass: PushClass) {
        switch pushClass {
        case .agent: agent.removeAll { $0 == id }
        case .badge: badge.removeAll { $0 == id }
        case .proactive: proactive.removeAll { $0 == id }
        }
    }

    /// The registrations that have been ready longest with an agent's message and with a badge push.
    var firstUrgent: [RegistrationID] { [agent.first, badge.first].compactMap { $0 } }
}
