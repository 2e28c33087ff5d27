import GatewayModel
import PushProviders

/// The providers of the lanes; a lane has one at most.
///
/// A provider is created outside the lock of this state, which event loops take: by one thread for each lane, and not
/// from settings that have changed meanwhile.
struct LaneProviders {
    /// The next step for a lane that needs its provider.
    enum Step {
        /// It has this one.
        case use(any PushProvider)
        /// Another thread is creating it, and wakes the lane afterwards.
        case wait
        /// Create one, and pass the number of changes to `made`.
        case make(changes: UInt64)
    }

    private var byLane: [LaneID: any PushProvider] = [:]
    /// The lanes whose provider is being created.
    private var making: Set<LaneID> = []
    /// The number of changes of lanes.
    private var changes: UInt64 = 0
    /// The lanes whose provider is not reached, until it is.
    private(set) var faults: [LaneID: PushProviderFault] = [:]

    /// Records the state of a lane's provider.
    mutating func changed(_ lane: LaneID, _ state: PushProviderState) {
        switch state {
        case .failed(let fault, _): faults[lane] = fault
        case .ready: faults[lane] = nil
        case .idle, .connecting: break
        }
    }

    /// Returns the existing providers of lanes.
    func known(of lanes: Set<LaneID>) -> [any PushProvider] { lanes.compactMap { byLane[$0] } }

    /// Returns the next step for a lane that needs its provider.
    mutating func next(_ lane: LaneID) -> Step {
        if let provider = byLane[lane] { return .use(provider) }
        guard making.insert(lane).inserted else { return .wait }
        return .make(changes: changes)
    }

    /// Stores the provider that was created for a lane, if any; returns false when lanes have changed since.
    mutating func made(_ provider: (any PushProvider)?, of lane: LaneID, changes: UInt64) -> Bool {
        making.remove(lane)
        guard changes == self.changes else { return false }
        if let provider { byLane[lane] = provider }
        return true
    }

    /// Removes the providers of lanes that have changed, and returns them.
    mutating func remove(_ lanes: [LaneID]) -> [any PushProvider] {
        changes += 1
        for lane in lanes { faults[lane] = nil }
        return lanes.compactMap { byLane.removeValue(forKey: $0) }
    }

    /// Removes all providers, and returns them.
    mutating func removeAll() -> [any PushProvider] { remove(Array(byLane.keys)) }
}
