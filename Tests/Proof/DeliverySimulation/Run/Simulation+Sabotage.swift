import Delivery
import GatewayModel
import GatewayStorage

extension Simulation {
    /// Returns a turn as the store receives it: unchanged, unless a sabotage modifies it.
    func doctored(_ turn: WriterTurn) -> WriterTurn {
        var turn = turn
        switch sabotage {
        case .splitSummary:
            if turn.outcomes.count > 1, checker.isSummarized(turn.outcomes.last) { turn.outcomes.removeLast() }
        case .forgetOutcome:
            if let last = turn.outcomes.last, !checker.isSummarized(last) { turn.outcomes.removeLast() }
        case .forgetRelease: turn.releases = []
        case .hideRequeue: for index in turn.requeues.indices { turn.requeues[index].queues = [] }
        case .overfill:
            for index in turn.claims.indices { turn.claims[index].limit += 4 }
            for lane in turn.budgets.lanes { turn.budgets[lane]?.slots += 4 }
        case .crowdDevice:
            for lane in turn.budgets.lanes { turn.budgets[lane]?.deviceLimit = nil }
            for index in turn.claims.indices { turn.claims[index].deviceRows = .any }
        case .crowdLane:
            for lane in turn.budgets.lanes { turn.budgets[lane]?.proactiveSlots = 100 }
            for index in turn.claims.indices where turn.claims[index].queue == .proactive(campaign: nil) {
                let held = checker.rows[Int(turn.claims[index].lane.rawValue) - 1]
                turn.claims[index].limit = max(plan.settings.slotsPerLane - held, turn.claims[index].limit)
            }
        case .forgetRecall: turn.recalls = []
        default: break
        }
        return turn
    }

    /// Returns a commit's result as the state machine receives it: unchanged, unless a sabotage modifies it.
    func doctored(_ result: WriterTurnResult, of turn: WriterTurn) -> WriterTurnResult {
        guard let sabotage else { return result }
        var result = result
        switch sabotage {
        case .reverseRows:
            result.owned.reverse()
            for index in result.claims.indices { result.claims[index].rows.reverse() }
        case .multiplyDevices: for lane in result.stopped.keys { result.stopped[lane]?.devices *= 1000 }
        case .hideUnread: result.updates.unread = [:]
        case .hideEnded: hide(.nothingAfterEnd, in: &result)
        case .hideErased: hide(.erasedIsGone, in: &result)
        case .hideToken: result.updates.registrations = result.updates.registrations.map(withOldToken)
        case .hideRead: hide(.nothingRead, in: &result)
        case .hideMerge:
            result.updates.registrations.removeAll { if case .merged = $0 { true } else { false } }
        case .mixClasses:
            for index in result.owned.indices { result.owned[index].queue = .agent }
            for claim in result.claims.indices {
                for index in result.claims[claim].rows.indices { result.claims[claim].rows[index].queue = .agent }
            }
        case .hideCollapsed: hide(.nothingCollapsed, in: &result)
        // With summaries, the expired rows would be part of one.
        case .hideExpiry where plan.rules.allSatisfy({ $0.summaryThreshold == nil }):
            for index in result.owned.indices { result.owned[index].expiresAt = Timestamp(milliseconds: .max) }
            for claim in result.claims.indices {
                for index in result.claims[claim].rows.indices {
                    result.claims[claim].rows[index].expiresAt = Timestamp(milliseconds: .max)
                }
            }
        case .shortenTime where plan.isPlain:
            let soon = now.adding(seconds: 1)
            for index in result.owned.indices {
                result.owned[index].expiresAt = min(result.owned[index].expiresAt, soon)
            }
        case .handTwice:
            // Only where it fits, or the memory limit would be broken instead.
            if let row = result.owned.last {
                let handed = (result.owned + result.claims.flatMap(\.rows)).count { $0.lane == row.lane }
                let held = checker.rows[Int(row.lane.rawValue) - 1]
                if held + handed < plan.settings.slotsPerLane { result.owned.append(row) }
            }
        case .handUnowned:
            let isQuiet = result.owned.isEmpty && result.claims.isEmpty
            if isQuiet, let id = store.pending.first(where: isFree) { result.owned.append(store.row(id)) }
        case .leakRow: if !result.owned.isEmpty { result.owned.removeLast() }
        case .hideBacklog:
            result.unowned = [:]
            for index in result.claims.indices { result.claims[index].nextDue = nil }
        default: break
        }
        return result
    }

    /// Returns whether a row has no owner, its lane has a slot, and the state machine has no reason to requeue it at
    /// once.
    private func isFree(_ id: Int64) -> Bool {
        let row = store.delivery(id)
        let lane = Int(row.lane.rawValue) - 1
        let siblings = store.registration(row.registration)?.pending ?? []
        return row.owner == nil && checker.place(id) == .stored && checker.rows[lane] < plan.settings.slotsPerLane
            && row.expiresAt > now && !closedLanes.contains(lane)
            && !siblings.contains { checker.place($0) == .requeued }
            // A state machine that drains plans nothing.
            && writer.delivery.nextDeadline(now: now) != nil
    }

    /// Hides from the state machine the rows that ended for one reason.
    private func hide(_ invariant: Invariant, in result: inout WriterTurnResult) {
        result.updates.withdrawn.removeAll {
            checker.invariant(of: store.delivery($0.delivery.rawValue)) == invariant
        }
    }

    private func withOldToken(_ update: RegistrationUpdate) -> RegistrationUpdate {
        guard case .registered(let consumer, var registration) = update else { return update }
        let place = Int(registration.id.rawValue) - 1
        // A registration that the same turn made has no old token.
        guard place < checker.delivered.registrations.count, let old = checker.delivered.registrations[place] else {
            return update
        }
        registration.token = old.token
        return .registered(consumer, registration)
    }
}
