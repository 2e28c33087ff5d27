import GatewayModel
import GatewayStorage

/// Checks of erased consumers, stale devices, and deleted apps and brands.
extension Checker {
    // MARK: Turns

    /// Checks that a commit ended registrations only for reasons in its turn.
    mutating func checkEnds(
        of turn: WriterTurn,
        _ result: WriterTurnResult,
        _ store: SimulatedStore
    ) throws(Violation) {
        for (place, registration) in registrations.enumerated() {
            let key = RegistrationID(Int64(place) + 1)
            guard let registration, store.registration(key.rawValue) == nil else { continue }
            let isInvalid = result.invalidations.contains { $0.registrations.contains(key) }
            let mayEnd = isInvalid || turn.changes.contains { self.mayEnd(registration, at: place, by: $0) }
            try expect(.registrationsAreKept, mayEnd) {
                "registration \(key) ends, and nothing in its turn asks for it"
            }
        }
        registrations = store.registrations
        for case .registered(let change) in result.changes {
            try expect(.removedIsOver, !deletedLanes.contains(change.registration.lane)) {
                "registration \(change.registration.id) is over lane \(change.registration.lane), which was deleted"
            }
        }
        noteSigns(of: turn, result, store)
    }

    /// Returns whether a change may end a registration; for logins, logouts, merges and registrations only the brand is
    /// checked.
    private func mayEnd(
        _ registration: SimulatedStore.Registration,
        at place: Int,
        by change: StoreChange
    ) -> Bool {
        switch change {
        // An import ends nothing but what was left of a deleted app.
        case .register(let device) where device.isImported: return deletedLanes.contains(registration.lane)
        case .register, .unregister, .openSession, .endSessions, .merge, .track:
            return change.brand == registration.brand
        case .endSession: return true
        case .erase: return ledger.erased.contains(Int(registration.consumer) - 1)
        case .endStale(let stale):
            // A sighting is noted at most once an hour.
            let heard = heard[place].map { $0 < stale.notSeenSince.adding(seconds: 3600) } ?? true
            return registration.brand == stale.brand && registration.registeredAt < stale.notSeenSince && heard
        default: return false
        }
    }

    /// Records the devices that were seen in a turn.
    private mutating func noteSigns(of turn: WriterTurn, _ result: WriterTurnResult, _ store: SimulatedStore) {
        var signs = turn.seen
        for (change, response) in zip(turn.changes, result.changes) {
            switch (change, response) {
            case (.tap(let tap), .tapped):
                let name = ConsumerName(brand: tap.brand, consumer: tap.consumer)
                signs.append(DeviceSighting(consumer: name, device: tap.device))
            case (.receipts(let brand, let consumer, let receipts), _):
                let name = ConsumerName(brand: brand, consumer: consumer)
                signs += receipts.map { DeviceSighting(consumer: name, device: $0.device) }
            default: break
            }
        }
        for sign in signs {
            guard let key = store.consumerKeys[sign.consumer.brand]?[sign.consumer.consumer] else { continue }
            for registration in store.consumers[Int(key) - 1].registrations
            where store.registration(registration)?.device == sign.device {
                heard[Int(registration) - 1] = turn.now
            }
        }
    }

    /// Checks that an erased consumer cannot be found, and that nothing waits for it.
    func checkErased(_ store: SimulatedStore) throws(Violation) {
        guard !ledger.erased.isEmpty else { return }
        let isErased: (Int64) -> Bool = { ledger.erased.contains(Int($0) - 1) }
        let isFound =
            store.pending.contains { isErased(store.delivery($0).consumer) }
            || store.registrations.contains { $0.map { isErased($0.consumer) } ?? false }
            || store.sessions.contains { isErased($0.consumer) }
            || store.consumerKeys.values.contains { $0.values.contains(where: isErased) }
        try expect(.erasedIsGone, !isFound) { "something is left of erased consumers" }
    }

    // MARK: Outside of turns

    /// Checks the deletion of an app, or of a brand itself, with all of its lanes.
    mutating func deleted(
        _ brand: BrandID,
        isBrand: Bool,
        _ lanes: [LaneID],
        _ store: SimulatedStore
    ) throws(Violation) {
        let all = store.lanes.indices.filter { store.lanes[$0].brand == brand }.map { LaneID(Int64($0) + 1) }
        try expect(.removedIsOver, Set(lanes) == Set(all).subtracting(deletedLanes)) {
            "lanes \(lanes) are deleted with \(brand)"
        }
        deletedLanes.formUnion(lanes)
        if isBrand { ledger.delete(brand, store) }
    }

    /// Checks a batch of housekeeping for a deletion or an erasure: it ends only what belongs to a deleted lane.
    mutating func checkHousekeeping(from before: SimulatedStore, _ store: SimulatedStore) throws(Violation) {
        for id in before.pending where !store.isPending(id) && !store.delivery(id).isRemoved {
            try expect(.registrationsAreKept, deletedLanes.contains(store.delivery(id).lane)) {
                "housekeeping ends delivery \(id), whose lane exists"
            }
            rowsEndedBeside.insert(id)
        }
        for (place, registration) in registrations.enumerated() {
            guard let registration, store.registrations[place] == nil else { continue }
            try expect(.registrationsAreKept, deletedLanes.contains(registration.lane)) {
                "housekeeping ends registration \(place + 1), whose lane exists"
            }
            endedBeside[place] = registration
        }
        registrations = store.registrations
        try checkErased(store)
    }
}
