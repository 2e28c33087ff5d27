import GatewayModel
import GatewayStorage
import TurnRules

/// Requeues of devices whose rows waited for quiet hours that have changed. The wait that a provider asked for, or that
/// for the next try, stays.
extension Writer {
    /// Makes the rows of a lane's devices due, queue by queue in the order in which they would have become due.
    func requeue(_ request: RequeueRequest, _ context: inout TurnContext) throws -> Int {
        var count = 0
        for queue in request.queues where count < request.limit {
            let rows = try db.prepare(
                """
                UPDATE waiting SET due = max(?2, not_before) WHERE queue = ?4 AND registration IN ( \
                SELECT registration FROM waiting WHERE lane = ?1 AND queue = ?4 AND due > ?2 AND due > not_before \
                ORDER BY due, registration LIMIT ?3) RETURNING registration, lane, queue, due
                """
            ).int(request.lane.rawValue).int(context.turn.now.milliseconds).int(request.limit - count).int(
                queue.rawValue
            )
            while try rows.next() {
                let queue = OutboxQueue(rawValue: rows.int64(2))
                context.noteWaiting(rows.int64(0), lane: rows.int64(1), queue: queue, due: rows.optionalInt64(3))
                count += 1
            }
        }
        return count
    }
}
