import GatewayModel
import GatewayStorage

/// Devices whose rows waited for quiet hours that are others now; what a provider asked for, or the next try, they still wait
/// for.
extension Writer {
    /// Makes the rows of a lane's devices due, in the order in which they would have become due.
    func requeue(_ request: RequeueRequest, _ context: inout TurnContext) throws -> Int {
        try db.prepare(
            """
            UPDATE waiting SET due = max(?2, not_before) WHERE registration IN (SELECT registration FROM waiting \
            WHERE lane = ?1 AND due > ?2 AND due > not_before ORDER BY due, registration LIMIT ?3)
            """
        ).int(request.lane.rawValue).int(context.turn.now.milliseconds).int(request.limit).run()
        return db.changedRows
    }

    /// Makes all waiting rows of a consumer due.
    func requeue(_ consumer: Int64, _ context: inout TurnContext) throws {
        for registration in try registrations(of: consumer) { try requeue(registration: registration.id, &context) }
    }

    /// Makes all waiting rows of a device due.
    func requeue(registration: Int64, _ context: inout TurnContext) throws {
        let row = try db.prepare(
            """
            UPDATE waiting SET due = max(?2, not_before) WHERE registration = ?1 AND due > ?2 AND due > not_before \
            RETURNING lane, due
            """
        ).int(registration).int(context.turn.now.milliseconds)
        defer { row.end() }
        guard try row.next() else { return }
        context.noteWaiting(registration, lane: row.int64(0), due: row.int64(1))
    }
}
