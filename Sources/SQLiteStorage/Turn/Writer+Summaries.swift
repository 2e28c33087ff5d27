import GatewayModel
import GatewayStorage

/// One push instead of a storm, after an absence: of many agents' messages that waited for a device, the newest is sent for
/// all of them.
///
/// What ends and what stands for it is written in the commit of the claim, so that a crash finds either the one or the other.
extension Writer {
    /// Makes summaries for the devices of rows that are about to be claimed.
    ///
    /// Returns the rows that ended; their devices' other rows stay as they are.
    func summarize(_ ids: [Int64], above threshold: Int, _ context: inout TurnContext) throws -> Set<Int64> {
        var seen: Set<Int64> = []
        var ended: Set<Int64> = []
        for id in ids {
            let row = try db.prepare("SELECT registration FROM outbox WHERE id = ?").int(id)
            guard try row.next() else { continue }
            let registration = row.int64(0)
            row.end()
            guard seen.insert(registration).inserted else { continue }
            for id in try summarize(registration, above: threshold, &context) { ended.insert(id) }
        }
        return ended
    }

    /// Ends all but the newest of a device's due agents' messages when they are too many; proactive ones, silent ones and
    /// badges are left alone.
    private func summarize(_ registration: Int64, above threshold: Int, _ context: inout TurnContext) throws -> [Int64]
    {
        let now = context.turn.now
        let rows = try db.prepare(
            """
            SELECT o.id, o.queued_at, max(o.summary, 1) FROM outbox o JOIN messages m ON m.key = o.message \
            WHERE o.registration = ?1 AND o.owner IS NULL AND o.due <= ?2 AND o.expires_at > ?2 AND m.kind = 'agent' \
            AND m.silent = 0 ORDER BY o.id
            """
        ).int(registration).int(now.milliseconds)
        var waiting: [Int64] = []
        var count: Int64 = 0
        var oldest = now.milliseconds
        while try rows.next() {
            waiting.append(rows.int64(0))
            oldest = min(oldest, rows.int64(1))
            count += rows.int64(2)
        }
        guard waiting.count > 1, count > threshold, let newest = waiting.popLast(),
            now.milliseconds - oldest >= ClaimRequest.summaryAfterSeconds * 1000
        else { return [] }
        for id in waiting { try withdraw(id, state: .suppressed, by: .collapsed, &context) }
        try db.prepare("UPDATE outbox SET summary = ? WHERE id = ?").int(count).int(newest).run()
        return waiting
    }
}
