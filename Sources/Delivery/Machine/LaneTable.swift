package import GatewayModel
import GatewayStorage

/// The lanes of the state machine, and which of them a turn must look at.
///
/// A lane is busy from its first change until a turn finds that it has no rows in memory and no backlog. Turns look
/// only at busy lanes, so that unused ones cost nothing, however many there are.
package struct LaneTable: Sendable, Sequence {
    /// A lane.
    package typealias Lane = DeliveryMachine.Lane

    private var lanes: [LaneID: Lane] = [:]
    /// The lanes that a turn looks at, each once, in the order in which they became busy.
    package private(set) var busy: [LaneID] = []
    /// The handling of new rows by lanes that are not busy; a closed lane has none.
    ///
    /// A busy lane stays in it, so that it is rarely written: turns share it.
    private(set) var idle: [LaneID: LaneBudgets.Idle] = [:]

    /// A lane's position, which is valid until a lane is added or removed.
    struct Place {
        fileprivate var index: Dictionary<LaneID, Lane>.Index
    }

    /// A lane; changing it makes it busy.
    package subscript(id: LaneID) -> Lane? {
        get { lanes[id] }
        _modify {
            touch(id)
            yield &lanes[id]
            touch(id)
        }
    }

    /// The lane at a position; changing it makes it busy.
    subscript(place: Place) -> Lane {
        get { lanes.values[place.index] }
        _modify {
            touch(at: place.index)
            yield &lanes.values[place.index]
        }
    }

    func place(of id: LaneID) -> Place? { lanes.index(forKey: id).map(Place.init) }

    /// Removes a lane, which must be put back before a turn begins.
    mutating func remove(_ id: LaneID) -> Lane? {
        touch(id)
        return lanes.removeValue(forKey: id)
    }

    /// Makes a lane busy, because its brand's rules have changed.
    mutating func touch(_ id: LaneID) {
        if let index = lanes.index(forKey: id) { touch(at: index) }
    }

    private mutating func touch(at index: Dictionary<LaneID, Lane>.Index) {
        guard !lanes.values[index].isBusy else { return }
        lanes.values[index].isBusy = true
        busy.append(lanes[index].key)
    }

    /// Prepares a turn: forgets what arrived during the last one, and marks lanes idle that are no longer busy.
    ///
    /// A lane is behind when a claim left rows of one of its devices in the store; `idleLane` returns what an idle lane
    /// does with new rows.
    mutating func settle(isBehind: (LaneID) -> Bool, idle idleLane: (LaneID) -> LaneBudgets.Idle) {
        var stillBusy: [LaneID] = []
        for id in busy {
            guard let index = lanes.index(forKey: id) else { continue }
            if !lanes.values[index].backlogDuringTurn.isEmpty { lanes.values[index].backlogDuringTurn = [:] }
            guard lanes.values[index].isIdle, !isBehind(id) else {
                stillBusy.append(id)
                continue
            }
            lanes.values[index].isBusy = false
            let known = lanes.values[index].isClosed ? nil : idleLane(id)
            if idle[id] != known { idle[id] = known }
        }
        busy = stillBusy
    }

    /// The lanes that a turn looks at.
    var busyLanes: some Sequence<(id: LaneID, lane: Lane)> {
        busy.lazy.compactMap { id in lanes[id].map { (id, $0) } }
    }

    /// Each lane that has ever had a row.
    package func makeIterator() -> Dictionary<LaneID, Lane>.Iterator { lanes.makeIterator() }
}
