import GatewayModel
import GatewayStorage

/// Rows that waited for quiet hours that are others now; what a provider asked for, or the next try, they still wait for.
extension Writer {
    /// Makes waiting rows of a lane due, in the order in which they would have become due.
    func requeue(_ request: RequeueRequest, _ context: inout TurnContext) throws -> Int {
        let now = context.turn.now.milliseconds
        var ids: [Int64] = []
        let rows = try db.prepare(
            """
            SELECT id FROM outbox WHERE lane = ?1 AND owner IS NULL AND due > ?2 AND due > not_before \
            ORDER BY due, id LIMIT ?3
            """
        ).int(request.lane.rawValue).int(now).int(request.limit)
        while try rows.next() { ids.append(rows.int64(0)) }
        for id in ids {
            try db.prepare("UPDATE outbox SET due = max(?1, not_before) WHERE id = ?2").int(now).int(id).run()
        }
        return ids.count
    }

    /// Makes all waiting rows of a consumer due.
    func requeue(_ consumer: Int64, _ context: inout TurnContext) throws {
        for registration in try registrations(of: consumer) {
            try requeue(registration.id, lane: registration.lane, &context)
        }
    }

    /// Makes all waiting rows of a device due.
    func requeue(_ registration: Int64, lane: Int64, _ context: inout TurnContext) throws {
        let now = context.turn.now.milliseconds
        let rows = try db.prepare(
            """
            SELECT id, max(?2, not_before) FROM outbox WHERE registration = ?1 AND owner IS NULL AND due > ?2 \
            AND due > not_before ORDER BY id
            """
        ).int(registration).int(now)
        var found: [(id: Int64, due: Int64)] = []
        while try rows.next() { found.append((rows.int64(0), rows.int64(1))) }
        for (id, due) in found {
            try db.prepare("UPDATE outbox SET due = ? WHERE id = ?").int(due).int(id).run()
            context.noteUnowned(id, of: registration, lane: lane, due: Timestamp(milliseconds: due))
        }
    }
}
