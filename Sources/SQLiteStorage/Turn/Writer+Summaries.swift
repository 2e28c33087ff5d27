import GatewayModel
import GatewayStorage

/// One push instead of a storm, after an absence: of many agents' messages that waited for a device, the newest of each
/// conversation is sent for all of it.
///
/// Of each conversation, because what is read in one ends the pushes of that one only. What ends and what stands for it is
/// written in the commit of the claim, so that a crash finds either the one or the other.
extension Writer {
    /// A due agents' message.
    private struct Waiting {
        var id: Int64
        var conversation: Int64
        var expiresAt: Int64
        /// How many messages it stands for, its own included.
        var count: Int64
    }

    /// Makes summaries for the devices of rows that are about to be claimed.
    ///
    /// Returns the rows that are not to be claimed: those that ended, and those of devices for which this commit has no room
    /// left. They are claimed by a later one.
    func summarize(_ ids: [Int64], above threshold: Int, _ context: inout TurnContext) throws -> Set<Int64> {
        var isDone: [Int64: Bool] = [:]
        var passedOver: Set<Int64> = []
        for id in ids {
            let row = try db.prepare("SELECT registration FROM outbox WHERE id = ?").int(id)
            guard try row.next() else {
                passedOver.insert(id)
                continue
            }
            let registration = row.int64(0)
            row.end()
            if isDone[registration] == nil {
                isDone[registration] =
                    try context.summaryRoom > 0 && summarize(registration, above: threshold, &passedOver, &context)
            }
            if isDone[registration] == false { passedOver.insert(id) }
        }
        return passedOver
    }

    /// Ends all but the newest of each conversation among a device's due agents' messages, when these are too many;
    /// proactive ones, silent ones and badges are left alone.
    ///
    /// Returns false when there was not room for all that are to end.
    private func summarize(
        _ registration: Int64,
        above threshold: Int,
        _ ended: inout Set<Int64>,
        _ context: inout TurnContext
    ) throws -> Bool {
        let now = context.turn.now
        let rows = try db.prepare(
            """
            SELECT o.id, o.queued_at, max(o.summary, 1), o.conversation, o.expires_at FROM outbox o \
            JOIN messages m ON m.key = o.message \
            WHERE o.registration = ?1 AND o.owner IS NULL AND o.due <= ?2 AND o.expires_at > ?2 AND m.kind = 'agent' \
            AND m.silent = 0 ORDER BY o.id
            """
        ).int(registration).int(now.milliseconds)
        var waiting: [Waiting] = []
        var newest: [Int64: Waiting] = [:]
        var count: Int64 = 0
        var oldest = now.milliseconds
        while try rows.next() {
            let row = Waiting(
                id: rows.int64(0),
                conversation: rows.int64(3),
                expiresAt: rows.int64(4),
                count: rows.int64(2)
            )
            waiting.append(row)
            newest[row.conversation] = row
            oldest = min(oldest, rows.int64(1))
            count += row.count
        }
        guard waiting.count > newest.count, count > threshold,
            now.milliseconds - oldest >= ClaimRequest.summaryAfterSeconds * 1000
        else { return true }
        let others = waiting.filter { newest[$0.conversation]?.id != $0.id }
        let room = context.summaryRoom
        context.summaryRoom -= min(room, others.count)
        for row in others.prefix(room) {
            try withdraw(row.id, state: .suppressed, by: .collapsed, &context)
            ended.insert(row.id)
            // It stands for all: it may come as late as any of them.
            var last = newest[row.conversation] ?? row
            last.count += row.count
            last.expiresAt = max(last.expiresAt, row.expiresAt)
            newest[row.conversation] = last
        }
        for row in newest.values where row.count > 1 {
            try db.prepare("UPDATE outbox SET summary = ?, expires_at = ? WHERE id = ?").int(row.count)
                .int(row.expiresAt).int(row.id).run()
        }
        return others.count <= room
    }
}
