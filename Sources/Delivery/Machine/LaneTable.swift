package import GatewayModel
import GatewayStorage

/// The lanes of the machine, and which of them a turn has to look at.
///
/// A lane is busy from its first change on until a turn finds that nothing of it is in memory or waits. Turns look at busy
/// lanes only, so that one that nobody uses costs them nothing, however many there are.
package struct LaneTable: Sendable, Sequence {
    /// A lane.
    package typealias Lane = DeliveryMachine.Lane

    // Not a dictionary's values: whoever reads a part of one copies all of it.
    private var lanes: [Lane] = []
    private var ids: [LaneID] = []
    private var places: [LaneID: Int] = [:]
    /// Where the lane belongs that was taken out.
    private var out: Int?
    /// The lanes that a turn looks at, each once, in the order in which they became busy.
    package private(set) var busy: [LaneID] = []
    /// What lanes do with new rows that are not busy; none that was removed.
    ///
    /// One that is busy stays in it, so that it is rarely written: turns share it.
    private(set) var idle: [LaneID: LaneBudgets.Idle] = [:]

    /// A lane's place, which holds until a lane is taken out.
    struct Place {
        fileprivate var index: Int
    }

    /// What stands in the place of a lane that is elsewhere.
    private static let vacant = Lane(DeliverySettings())

    /// A lane; whoever changes it makes it busy.
    package subscript(id: LaneID) -> Lane? {
        get { place(of: id).map { lanes[$0.index] } }
        _modify {
            let index = place(of: id)?.index
            var lane = index.map { replace(at: $0) }
            yield &lane
            if let lane { put(lane, id) } else { out = index ?? out }
        }
    }

    /// The lane at a place; whoever changes it makes it busy.
    subscript(place: Place) -> Lane {
        _read { yield lanes[place.index] }
        _modify {
            touch(at: place.index)
            yield &lanes[place.index]
        }
    }

    func place(of id: LaneID) -> Place? {
        guard let index = places[id], index != out else { return nil }
        return Place(index: index)
    }

    /// Takes a lane out, which is put back before another is taken out or a turn begins.
    mutating func remove(_ id: LaneID) -> Lane? {
        guard let index = place(of: id)?.index else { return nil }
        out = index
        return replace(at: index)
    }

    /// Moves a lane away, so that whoever changes it copies nothing.
    private mutating func replace(at index: Int) -> Lane {
        touch(at: index)
        var lane = Self.vacant
        swap(&lane, &lanes[index])
        return lane
    }

    private mutating func put(_ lane: Lane, _ id: LaneID) {
        if let index = places[id] {
            lanes[index] = lane
            if out == index { out = nil }
            touch(at: index)
        } else {
            places[id] = lanes.count
            ids.append(id)
            lanes.append(lane)
            touch(at: lanes.count - 1)
        }
    }

    /// Makes a lane busy, because what its brand asks of it has changed.
    mutating func touch(_ id: LaneID) {
        if let place = place(of: id) { touch(at: place.index) }
    }

    private mutating func touch(at index: Int) {
        guard !lanes[index].isBusy else { return }
        lanes[index].isBusy = true
        busy.append(ids[index])
    }

    /// Prepares a turn: forgets what came during the last one, and sets aside what is busy no longer.
    ///
    /// - Parameters:
    ///   - isBehind: Whether a claim left rows in the store of one of a lane's devices.
    ///   - idleLane: What an idle lane does with new rows.
    mutating func settle(isBehind: (LaneID) -> Bool, idle idleLane: (LaneID) -> LaneBudgets.Idle) {
        var stillBusy: [LaneID] = []
        for id in busy {
            guard let index = places[id] else { continue }
            if !lanes[index].backlogDuringTurn.isEmpty { lanes[index].backlogDuringTurn = [:] }
            guard lanes[index].isIdle, !isBehind(id) else {
                stillBusy.append(id)
                continue
            }
            lanes[index].isBusy = false
            let known = lanes[index].isRemoved ? nil : idleLane(id)
            if idle[id] != known { idle[id] = known }
        }
        busy = stillBusy
    }

    /// The lanes that a turn looks at.
    var busyLanes: some Sequence<(id: LaneID, lane: Lane)> {
        busy.lazy.compactMap { id in self[id].map { (id, $0) } }
    }

    /// Each lane that has ever had a row.
    package func makeIterator() -> some IteratorProtocol<(key: LaneID, value: Lane)> {
        zip(ids, lanes).lazy.map { (key: $0, value: $1) }.makeIterator()
    }
}
