import GatewayModel
import GatewayStorage

/// Rows that waited for a reason that is gone.
extension Writer {
    /// Makes waiting rows of a lane due now, in the order in which they would have become due.
    func requeue(_ request: RequeueRequest, _ context: inout TurnContext) throws -> Int {
        let now = context.turn.now.milliseconds
        var ids: [Int64] = []
        let rows = try db.prepare(
            "SELECT id FROM outbox WHERE lane = ? AND owner IS NULL AND due > ? ORDER BY due, id LIMIT ?"
        ).int(request.lane.rawValue).int(now).int(request.limit)
        while try rows.next() { ids.append(rows.int64(0)) }
        for id in ids { try db.prepare("UPDATE outbox SET due = ? WHERE id = ?").int(now).int(id).run() }
        return ids.count
    }

    /// Makes all waiting rows of a consumer due now.
    func requeue(_ consumer: Int64, _ context: inout TurnContext) throws {
        let now = context.turn.now
        for registration in try registrations(of: consumer) {
            let rows = try db.prepare(
                "SELECT id FROM outbox WHERE registration = ? AND owner IS NULL AND due > ? ORDER BY id"
            )
            .int(registration.id).int(now.milliseconds)
            var ids: [Int64] = []
            while try rows.next() { ids.append(rows.int64(0)) }
            for id in ids {
                try db.prepare("UPDATE outbox SET due = ? WHERE id = ?").int(now.milliseconds).int(id).run()
                context.noteUnowned(id, of: registration, due: now)
            }
        }
    }
}
