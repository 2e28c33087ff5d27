import GatewayModel
import PushProviders

/// The providers of the lanes; a lane has one at most.
///
/// A provider is made outside the lock that this lies behind, which event loops take: by one thread for each lane, and
/// not from settings that have changed meanwhile.
struct LaneProviders {
    /// What is to be done for a lane that needs its provider.
    enum Step {
        /// It has this one.
        case use(any PushProvider)
        /// Another thread makes it, and wakes it then.
        case wait
        /// Make one, and say so with the count of changes.
        case make(changes: UInt64)
    }

    private var byLane: [LaneID: any PushProvider] = [:]
    /// The lanes whose provider is being made.
    private var making: Set<LaneID> = []
    /// Counts changes of lanes.
    private var changes: UInt64 = 0

    /// The providers of lanes, of those that have one.
    func known(of lanes: Set<LaneID>) -> [any PushProvider] { lanes.compactMap { byLane[$0] } }

    /// What is to be done for a lane that needs its provider.
    mutating func next(_ lane: LaneID) -> Step {
        if let provider = byLane[lane] { return .use(provider) }
        guard making.insert(lane).inserted else { return .wait }
        return .make(changes: changes)
    }

    /// Takes what was made for a lane, if anything; false when lanes have changed since.
    mutating func made(_ provider: (any PushProvider)?, of lane: LaneID, changes: UInt64) -> Bool {
        making.remove(lane)
        guard changes == self.changes else { return false }
        if let provider { byLane[lane] = provider }
        return true
    }

    /// Forgets the providers of lanes that have changed.
    mutating func remove(_ lanes: [LaneID]) -> [any PushProvider] {
        changes += 1
        return lanes.compactMap { byLane.removeValue(forKey: $0) }
    }

    /// Forgets all providers.
    mutating func removeAll() -> [any PushProvider] { remove(Array(byLane.keys)) }
}
