import GatewayModel

/// How many rows devices have in memory, and of which devices a claim left rows in the store: a plain value.
///
/// Kept with each row that comes and goes, because every turn asks and a campaign keeps thousands of rows in memory.
struct DeviceRows: Sendable {
    /// How many rows registrations have in memory that have more than one.
    private(set) var crowded: [RegistrationID: Int] = [:]
    /// Registrations of which rows were left in the store and none is in memory any more.
    private(set) var recallable: Set<RegistrationID> = []
    /// Registrations of which a claim left rows in the store, because they have their share of rows in memory, and their lanes.
    private(set) var behind: [RegistrationID: LaneID] = [:]
    /// How many of ``behind`` each lane has.
    private(set) var lanes: [LaneID: Int] = [:]

    /// A row of a registration came into memory, which has so many now.
    mutating func came(_ id: RegistrationID, count: Int) {
        if count > 1 { crowded[id] = count }
        if !recallable.isEmpty { recallable.remove(id) }
    }

    /// A row of a registration left the memory.
    mutating func went(_ id: RegistrationID) {
        if let count = crowded.isEmpty ? nil : crowded[id] {
            crowded[id] = count > 2 ? count - 1 : nil
        } else if !behind.isEmpty, behind[id] != nil {
            recallable.insert(id)
        }
    }

    /// A claim left rows of a registration in the store.
    mutating func leftBehind(_ id: RegistrationID, of lane: LaneID, isInMemory: Bool) {
        recalled(id)
        behind[id] = lane
        lanes[lane, default: 0] += 1
        if !isInMemory { recallable.insert(id) }
    }

    /// The rows of a registration that were left in the store may be claimed again.
    mutating func recalled(_ id: RegistrationID) {
        guard let lane = behind.removeValue(forKey: id) else { return }
        recallable.remove(id)
        let count = (lanes[lane] ?? 1) - 1
        lanes[lane] = count > 0 ? count : nil
    }

    /// Whether rows of one of a lane's registrations were left in the store.
    func isBehind(_ lane: LaneID) -> Bool { lanes[lane] != nil }
}
