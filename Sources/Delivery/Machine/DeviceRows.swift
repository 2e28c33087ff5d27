import GatewayModel

/// The number of rows that devices have in memory, and the devices of which a claim left rows in the store: a value
/// type.
///
/// Updated with each row that comes and goes, because every turn reads it and a campaign keeps thousands of rows in
/// memory.
struct DeviceRows: Sendable {
    /// The number of rows in memory, for each registration that has more than one.
    private(set) var crowded: [RegistrationID: Int] = [:]
    /// Registrations without a row in memory, of which a claim left rows in the store.
    private(set) var recallable: Set<RegistrationID> = []
    /// Registrations of which a claim left rows in the store, because they have their share of rows in memory, and their lanes.
    private(set) var behind: [RegistrationID: LaneID] = [:]
    /// The number of registrations in ``behind`` of each lane.
    private(set) var lanes: [LaneID: Int] = [:]

    /// Counts a row of a registration that came into memory; `count` is the number of its rows now.
    mutating func added(_ id: RegistrationID, count: Int) {
        if count > 1 { crowded[id] = count }
        if !recallable.isEmpty { recallable.remove(id) }
    }

    /// Counts a row of a registration that left memory.
    mutating func removed(_ id: RegistrationID) {
        if let count = crowded.isEmpty ? nil : crowded[id] {
            crowded[id] = count > 2 ? count - 1 : nil
        } else if !behind.isEmpty, behind[id] != nil {
            recallable.insert(id)
        }
    }

    /// Notes that a claim left rows of a registration in the store.
    mutating func leftBehind(_ id: RegistrationID, of lane: LaneID, isInMemory: Bool) {
        recalled(id)
        behind[id] = lane
        lanes[lane, default: 0] += 1
        if !isInMemory { recallable.insert(id) }
    }

    /// Notes that the rows of a registration that were left in the store may be claimed again.
    mutating func recalled(_ id: RegistrationID) {
        guard let lane = behind.removeValue(forKey: id) else { return }
        recallable.remove(id)
        let count = (lanes[lane] ?? 1) - 1
        lanes[lane] = count > 0 ? count : nil
    }

    /// Returns whether rows of one of a lane's registrations were left in the store.
    func isBehind(_ lane: LaneID) -> Bool { lanes[lane] != nil }
}
