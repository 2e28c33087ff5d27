import GatewayModel
import GatewayStorage

extension SimulatedStore {
    /// Adds an outbox row, owned when its lane has a slot and nothing older of the registration waits; then ends the
    /// older rows that it replaces, so that it waits as long as they would have.
    mutating func queue(_ row: Delivery, _ context: inout Context) {
        var row = row
        let isOwned = !row.isHeld && mayBeInMemory(row, context)
        if isOwned || row.isHeld { row.owner = context.incarnation }
        row.wasHeld = row.isHeld
        deliveries.append(row)
        let id = Int64(deliveries.count)
        pending.append(id)
        registrations[Int(row.registration) - 1]?.pending.append(id)
        if row.isHeld {
            context.held.made += 1
        } else if isOwned {
            context.budgets.take(row.queue, of: row.lane)
            context.ownedOf[row.registration, default: 0] += 1
            context.owned.append(id)
        } else {
            addWaiting(row.queue, of: row.registration, lane: row.lane)
        }
        if row.kind == .badge || row.message?.collapseKey != nil, flaw != .keepsCollapsed { collapse(id) }
        if flaw == .losesRow, id % 5 == 0 {
            change(id) { $0.isLost = true }
            forget(id)
        }
    }

    /// Returns whether a new row of a device may be in memory: its lane has a slot, the device has less than its share
    /// there, and no row of it waits that leaves first.
    private func mayBeInMemory(_ row: Delivery, _ context: Context) -> Bool {
        let key = row.registration
        guard let budget = context.budgets[row.lane], budget.admits(row.queue) else { return false }
        if let first = waitingNow[key], first <= row.queue { return false }
        if let limit = budget.deviceLimit, rowsInMemory(of: key, context) >= limit.most(row.queue.pushClass) {
            return false
        }
        return !budget.mayHaveBacklog || !mustWait(key, row.queue)
    }

    /// Ends the older rows of a registration that a new one replaces, owned or not.
    private mutating func collapse(_ new: Int64) {
        let row = delivery(new)
        for id in registration(row.registration)?.pending ?? [] where id < new {
            let older = delivery(id)
            let isSame =
                row.kind == .badge ? older.kind == .badge : older.message?.collapseKey == row.message?.collapseKey
            guard isSame else { continue }
            withdraw(id, .cancelled, by: .collapsed)
        }
    }
}
