import GatewayModel
import GatewayStorage
import TurnRules

extension SimulatedStore {
    func expiry(of id: Int64) -> Timestamp? { isPending(id) ? delivery(id).expiresAt : nil }

    mutating func copyToLog(_ pushes: [FinishedPush]) -> Bool {
        guard pushes.allSatisfy({ isPending($0.id) }) else { return false }
        for push in pushes {
            change(push.id) {
                $0.attempts += 1
                $0.end(push.state, by: push.suppressedBy)
            }
        }
        return true
    }

    mutating func removeRow(of push: FinishedPush) -> MovedRow? {
        let row = take(push.id)
        return row.isWaiting ? row : nil
    }

    mutating func recordLate(_ id: Int64, _ response: PushResponse, isAccepted: Bool, providerID: String?) {
        guard !delivery(id).isLost, !delivery(id).isRemoved else { return }
        change(id) {
            $0.attempts += 1
            guard isAccepted, $0.state == .cancelled else { return }
            $0.state = .accepted
            $0.suppressedBy = nil
        }
    }

    func storeAttempt(of id: Int64, _ response: PushResponse) -> Bool { flaw != .losesRetries && isPending(id) }

    mutating func disown(_ id: Int64, attempts: Int) -> MovedRow? {
        guard isPending(id) else { return nil }
        let row = delivery(id)
        change(id) {
            $0.owner = nil
            $0.attempts += attempts
        }
        return MovedRow(registration: row.registration, queue: row.queue, isWaiting: row.owner == nil)
    }
}
