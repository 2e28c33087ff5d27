import GatewayModel
import GatewayStorage
import TurnRules

/// The remaining rows of deleted apps: registrations whose lane is deleted. No lookup finds them meanwhile, and a new
/// app of the same id has lanes of its own.
extension Writer {
    /// Ends registrations of deleted lanes, each after its outbox rows, which are cancelled.
    func endDeletedApps(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        var context = TurnContext(turn: WriterTurn(now: batch.now, incarnation: IncarnationID(0)))
        var room = batch.limit
        while room > 0, let lane = try first("SELECT lane FROM deleted_lanes ORDER BY lane LIMIT 1", nil) {
            try endRegistrations(of: lane, &room, &context)
            if room > 0 { try db.prepare("DELETE FROM deleted_lanes WHERE lane = ?").int(lane).run() }
        }
        return (batch.limit - room, room > 0 ? nil : HousekeepingPosition())
    }

    private func endRegistrations(of lane: Int64, _ room: inout Int, _ context: inout TurnContext) throws {
        while room > 0, let registration = try first("SELECT id FROM registrations WHERE lane = ? LIMIT 1", lane) {
            let ids = try keys(
                "SELECT id FROM outbox WHERE registration = ? ORDER BY queue, id LIMIT ?",
                registration,
                room
            )
            var rows = self
            for id in ids { try rows.withdraw(id, state: .cancelled, by: .unregistered, &context) }
            room -= ids.count
            guard room > 0 else { return }
            try rows.end(registration, by: .unregistered, .appDeleted, &context)
            room -= 1
        }
    }
}
