import GatewayModel
import GatewayStorage
import TurnRules

/// Apps and brands that are deleted and created again, outside of turns, and what housekeeping removes batch by batch.
extension SimulatedStore {
    func hasBrand(_ brand: BrandID) -> Bool { consumerKeys[brand] != nil }

    /// Returns whether a registration's lane exists: one of a deleted app is hidden until housekeeping ends it.
    func hasLane(_ registration: Registration) -> Bool { !deletedLanes.contains(registration.lane) }

    /// Returns whether a registration's app exists, possibly created again.
    func hasApp(_ registration: Registration) -> Bool {
        !consumers[Int(registration.consumer) - 1].isDeleted && !lanes(of: registration.brand).isEmpty
    }

    /// Returns whether a registration gets pushes.
    func isPushedTo(_ registration: Registration) -> Bool { registration.isActive && hasLane(registration) }

    /// Returns whether operators can see a delivery.
    func isListed(_ row: Delivery) -> Bool {
        let consumer = consumers[Int(row.consumer) - 1]
        return !consumer.isErased && !consumer.isDeleted && !row.isRemoved
    }

    /// Returns the lanes of a brand's app; empty when it was deleted.
    func lanes(of brand: BrandID) -> [LaneID] {
        lanes.indices.filter { lanes[$0].brand == brand }.map { LaneID(Int64($0) + 1) }
            .filter { !deletedLanes.contains($0) }
    }

    // MARK: Administration

    /// Deletes a brand's app and returns its lanes, as `GatewayStore.deleteApp(brand:app:audit:)` does; nil when there
    /// is no such app.
    mutating func deleteApp(of brand: BrandID) -> [LaneID]? {
        let lanes = lanes(of: brand)
        guard !lanes.isEmpty else { return nil }
        lanesToEnd = (lanesToEnd + lanes).sorted { $0.rawValue < $1.rawValue }
        delete(lanes)
        return lanes
    }

    /// Deletes a brand and returns its lanes, as `GatewayStore.deleteBrand(_:audit:)` does; nil when there is no such
    /// brand.
    mutating func deleteBrand(_ brand: BrandID) -> [LaneID]? {
        guard hasBrand(brand) else { return nil }
        let lanes = lanes(of: brand)
        delete(lanes)
        var keys: Set<Int64> = []
        for place in consumers.indices where consumers[place].brand == brand && !consumers[place].isDeleted {
            consumers[place].isDeleted = true
            keys.insert(Int64(place) + 1)
        }
        brandsToRemove.append(keys)
        sessions.removeAll { keys.contains($0.consumer) }
        (consumerKeys[brand], campaigns[brand], looks[brand]) = (nil, nil, nil)
        dedupe = dedupe.filter { $0.key.brand != brand }
        return lanes
    }

    private mutating func delete(_ lanes: [LaneID]) {
        deletedLanes.formUnion(lanes)
        suspended.subtract(lanes)
    }

    /// Creates a brand's deleted app, and the brand if it was deleted; returns its lanes, which have new ids.
    mutating func putApp(of brand: BrandID, _ keys: [LaneKey]) -> [LaneID] {
        if !hasBrand(brand) { consumerKeys[brand] = [:] }
        lanes += keys
        return lanes(of: brand)
    }

    // MARK: Erasures

    mutating func erase(_ consumer: KnownConsumer, of brand: BrandID) {
        let key = consumer.key
        if flaw == .endsOthers { endsStrangerTo = 0 }
        consumerKeys[brand] = consumerKeys[brand]?.filter { $0.value != key }
        for place in consumers.indices where Int64(place) + 1 == key || consumers[place].mergedInto == key {
            consumers[place].isErased = true
            consumersToRemove.append(Int64(place) + 1)
        }
        turnConsumers[key] = nil
    }

    /// Ends a registration of another consumer than the one of whom a registration has ended, if such a fault is
    /// injected.
    mutating func endStranger(_ context: inout TurnContext) {
        guard let consumer = endsStrangerTo else { return }
        endsStrangerTo = nil
        let other = registrations.firstIndex { $0.map { $0.consumer != consumer } ?? false }
        if let other { end(Int64(other) + 1, by: .unregistered, .unregistered, &context) }
    }

    // MARK: Stale devices

    mutating func see(_ device: DeviceID, of consumer: Int64, at now: Timestamp, last: Timestamp) {
        guard flaw != .forgetsSightings else { return }
        for key in consumers[Int(consumer) - 1].registrations {
            guard let found = registration(key), found.device == device, found.lastSeenAt <= last else { continue }
            registrations[Int(key) - 1]?.lastSeenAt = now
        }
    }

    func staleRegistrations(of brand: Int64, notSeenSince moment: Timestamp, limit: Int) -> [Int64] {
        var found: [(seenAt: Timestamp, key: Int64)] = []
        for (place, registration) in registrations.enumerated() {
            guard let registration, registration.brand == self.brand(brand),
                !consumers[Int(registration.consumer) - 1].isDeleted, registration.lastSeenAt < moment
            else { continue }
            found.append((registration.lastSeenAt, Int64(place) + 1))
        }
        return found.sorted { ($0.seenAt, $0.key) < ($1.seenAt, $1.key) }.prefix(limit).map(\.key)
    }

    func staleLook(of brand: Int64) -> (lookedAt: Timestamp, heardFrom: Timestamp)? { looks[self.brand(brand)] }

    mutating func storeStaleLook(of brand: Int64, at now: Timestamp, heardFrom: Timestamp) {
        looks[self.brand(brand)] = (now, heardFrom)
    }

    // MARK: Housekeeping

    /// The remaining data of erased consumers and of deleted apps and brands.
    var leftovers: [HousekeepingBatch.Work] {
        var works: [HousekeepingBatch.Work] = []
        if !consumersToRemove.isEmpty { works.append(.erasures) }
        if !lanesToEnd.isEmpty { works.append(.deletedApps) }
        if !brandsToRemove.isEmpty { works.append(.deletedBrands) }
        return works
    }

    /// Whether registrations of the first deleted brand remain.
    var hasRegistrationsToRemove: Bool {
        registrations.contains { $0.map { brandsToRemove.first?.contains($0.consumer) ?? false } ?? false }
    }

    /// Runs a batch of housekeeping, as `GatewayStore.runHousekeeping(_:)` does; one of expired rows has no limit.
    ///
    /// Returns the number of removed rows, as far as the simulation can count them.
    mutating func runHousekeeping(_ batch: HousekeepingBatch) -> Int {
        var room = batch.limit
        switch batch.work {
        case .expired: return endExpired(now: batch.now)
        case .erasures: removeErased(&room)
        case .deletedApps:
            let ended = endDeletedLanes(limit: batch.limit, at: batch.now)
            var context = TurnContext(turn: WriterTurn(now: batch.now, incarnation: IncarnationID(0)))
            endStranger(&context)
            return ended
        case .deletedBrands: removeDeletedBrand(&room)
        default: break
        }
        return batch.limit - room
    }

    private mutating func removeErased(_ room: inout Int) {
        while room > 0, let consumer = consumersToRemove.first {
            let rows = deliveries.indices.filter { deliveries[$0].consumer == consumer && !deliveries[$0].isRemoved }
            for place in rows.prefix(room) { deliveries[place].isRemoved = true }
            room -= min(rows.count, room)
            if room > 0 { consumersToRemove.removeFirst() }
        }
    }

    func firstDeletedLane() -> Int64? { lanesToEnd.first?.rawValue }

    func firstRegistration(of lane: Int64) -> Int64? {
        registrations.firstIndex { $0?.lane == LaneID(lane) }.map { Int64($0) + 1 }
    }

    mutating func forgetDeletedLane(_ lane: Int64) { lanesToEnd.removeAll { $0 == LaneID(lane) } }

    /// Removes registrations of the first deleted brand, each after its rows, and everything else once there are none.
    private mutating func removeDeletedBrand(_ room: inout Int) {
        guard let keys = brandsToRemove.first else { return }
        let other = pending.first { !keys.contains(delivery($0).consumer) }
        if flaw == .removesOthers, let other { remove(other) }
        while room > 0 {
            let left = registrations.indices.filter { registrations[$0].map { keys.contains($0.consumer) } ?? false }
            let oldest = left.min { (seenAt($0), $0) < (seenAt($1), $1) }
            guard let oldest, let found = registrations[oldest] else {
                for place in deliveries.indices where keys.contains(deliveries[place].consumer) {
                    deliveries[place].isRemoved = true
                }
                brandsToRemove.removeFirst()
                return
            }
            let key = Int64(oldest) + 1
            for wait in waitKeys(of: key) { waiting[wait] = nil }
            let rows = rows(of: key, limit: room)
            for id in rows { remove(id) }
            room -= rows.count
            guard room > 0 else { return }
            consumers[Int(found.consumer) - 1].registrations.removeAll { $0 == key }
            registrations[oldest] = nil
            room -= 1
        }
    }

    private func seenAt(_ place: Int) -> Timestamp { registrations[place]?.lastSeenAt ?? now }

    /// Removes a row as if it had never existed.
    private mutating func remove(_ id: Int64) {
        change(id) { $0.isRemoved = true }
        forget(id)
    }
}
