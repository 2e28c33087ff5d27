import GatewayModel
import GatewayStorage

/// Checks of a commit that is on disk, besides the counts of the ledger.
extension Checker {
    /// Resets deliveries that an operator has retried: they wait behind what is in memory by then.
    mutating func followRetries(of turn: WriterTurn, _ result: WriterTurnResult, _ store: SimulatedStore) {
        for (change, response) in zip(turn.changes, result.changes) {
            guard case .retry(let request) = change, case .retried = response else { continue }
            let id = request.delivery.rawValue
            let row = store.delivery(id)
            note([], summarizedBy: id)
            var again = tracked[Int(id) - 1]
            again.lane = Int(row.lane.rawValue) - 1
            again.registration = row.registration
            again.allowed = max(again.allowed, again.receipts + 1)
            again.triedAgainAfter = Int64(store.deliveries.count)
            again.summarizedBy = 0
            again.notBefore = nil
            again.isGone = false
            tracked[Int(id) - 1] = again
        }
    }

    /// Notes which rows a row overtakes that comes into memory: one that an operator has retried waits for no window.
    mutating func noteOvertaken(_ id: Int64, _ store: SimulatedStore) {
        let row = store.delivery(id)
        guard tracked[Int(id) - 1].triedAgainAfter > 0, let registration = store.registration(row.registration)
        else { return }
        tracked[Int(id) - 1].overtaken = Set(registration.pending.filter { $0 < id && store.delivery($0).isHeld })
    }

    /// Checks that a claim does not skip rows of a device that were due before.
    func checkClaims(_ result: WriterTurnResult, _ store: SimulatedStore) throws(Violation) {
        for claim in result.claims {
            let latest = claim.rows.map { store.delivery($0.id.rawValue).claimedAt }.max()
            guard let latest else { continue }
            let claimed = Set(claim.rows.map(\.registration.rawValue))
            for (key, wait) in store.waiting where wait.lane == claim.lane && key.queue == claim.queue {
                guard let due = wait.due, !claimed.contains(key.registration) else { continue }
                try expect(.devicesTakeTurns, due >= latest) {
                    "a claim skips registration \(key.registration), which was due at \(due.milliseconds)"
                }
            }
        }
    }

    /// Checks that a read that lowered a consumer's unread count makes a badge for each of its other devices.
    ///
    /// A turn in which registrations change is skipped, since ended ones needed no badge. `reads` has the number of
    /// earlier reads of each consumer, by its index; `known` is the number of earlier deliveries.
    func checkBadges(
        _ turn: WriterTurn,
        since reads: [Int],
        after known: Int,
        _ store: SimulatedStore
    ) throws(Violation) {
        var readers: Set<DeviceID> = []
        for change in turn.changes {
            switch change {
            case .read(let request): if let device = request.device { readers.insert(device) }
            case .tap, .receipts, .retry: break
            default: return
            }
        }
        for (place, count) in ledger.reads.enumerated() where place < reads.count && count > reads[place] {
            for key in store.consumers[place].registrations {
                guard let found = store.registration(key), found.isActive, found.receives.contains(.agent),
                    !deletedLanes.contains(found.lane),
                    !readers.contains(found.device)
                else { continue }
                let isMade = found.pending.contains { $0 > known && store.delivery($0).kind == .badge }
                try expect(.badgesAreMade, isMade) { "registration \(key) gets no badge after a read" }
            }
        }
    }
}
