import GatewayModel
import GatewayStorage

extension SimulatedStore {
    /// Writes an outbox row, owned when its lane has a slot and nothing older of the registration waits.
    mutating func queue(_ row: Delivery, _ context: inout Context) {
        var row = row
        let slots = context.budgets[row.lane]?.slots ?? 0
        var isOwned = slots > 0 && !context.waiting.contains(row.registration)
        if !isOwned || context.budgets[row.lane]?.mayHaveBacklog == true {
            // Behind what waits already, so that the order by due time is the order of the device.
            for other in registration(row.registration)?.pending ?? [] where delivery(other).owner == nil {
                isOwned = false
                row.due = max(row.due, delivery(other).due)
            }
        }
        if isOwned { row.owner = context.incarnation }
        deliveries.append(row)
        let id = Int64(deliveries.count)
        pending.append(id)
        registrations[Int(row.registration) - 1]?.pending.append(id)
        if isOwned {
            context.budgets[row.lane]?.slots -= 1
            context.owned.append(id)
        } else {
            context.waiting.insert(row.registration)
            context.unowned.append(id)
        }
        if flaw == .losesRow, id % 5 == 0 {
            change(id) { $0.isLost = true }
            forget(id)
        }
    }

    /// Ends the older rows of a registration whose place a newer one takes, owned or not.
    mutating func collapse(_ key: Int64, _ context: inout Context, where isOlder: (Delivery) -> Bool) {
        for id in registration(key)?.pending ?? [] where isOlder(delivery(id)) {
            withdraw(id, .cancelled, by: .collapsed)
            context.collapsed.append(
                WithdrawnRow(delivery: DeliveryID(id), registration: RegistrationID(key))
            )
        }
    }
}
