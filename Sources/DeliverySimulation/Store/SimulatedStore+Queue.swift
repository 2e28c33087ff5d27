import GatewayModel
import GatewayStorage

extension SimulatedStore {
    /// Writes an outbox row, owned when its lane has a slot and nothing older of the registration waits; then ends the
    /// older rows that it takes the place of, whose due time it inherits.
    mutating func queue(_ row: Delivery, _ context: inout Context) {
        var row = row
        let slots = context.budgets[row.lane]?.slots ?? 0
        var isOwned = slots > 0 && !row.isHeld && !context.waiting.contains(row.registration)
        if !row.isHeld, !isOwned || context.budgets[row.lane]?.mayHaveBacklog == true {
            // Behind what waits already, so that the order by due time is the order of the device.
            for other in registration(row.registration)?.pending ?? [] where delivery(other).owner == nil {
                isOwned = false
                row.due = max(row.due, delivery(other).due)
                row.notBefore = max(row.notBefore, delivery(other).notBefore)
            }
        }
        if isOwned || row.isHeld { row.owner = context.incarnation }
        row.wasHeld = row.isHeld
        deliveries.append(row)
        let id = Int64(deliveries.count)
        pending.append(id)
        registrations[Int(row.registration) - 1]?.pending.append(id)
        if row.isHeld {
            context.held.made += 1
        } else if isOwned {
            context.budgets[row.lane]?.slots -= 1
            context.owned.append(id)
        } else {
            context.waiting.insert(row.registration)
            context.unowned.append(id)
        }
        if row.kind == .badge || row.message?.collapseKey != nil, flaw != .keepsCollapsed { collapse(id) }
        if flaw == .losesRow, id % 5 == 0 {
            change(id) { $0.isLost = true }
            forget(id)
        }
    }

    /// Ends the older rows of a registration whose place a new one takes, owned or not.
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
