import GatewayModel
import GatewayStorage

/// The store's part of summaries: of many agents' messages that waited for a device, the newest of each conversation stands for
/// all of it, and the device's rows are handed out together, so that the lane can make one push of them.
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

    /// What is handed out in place of the first rows that are due: all rows of their devices that are, after each conversation
    /// of agents' messages was put together where a device has too many.
    ///
    /// A device whose rows are more than there is room for, here or in this commit, waits for a later claim; alone it gets as
    /// many as there is room for.
    ///
    /// - Parameters:
    ///   - ids: The rows of the lane that are due first.
    ///   - limit: At most this many are handed out.
    ///   - threshold: More agents' messages than this are too many for a device.
    ///   - context: The turn.
    /// - Returns: Rows of the lane, device by device.
    /// - Throws: The database's error.
    func wholeDevices(
        _ ids: [Int64],
        limit: Int,
        above threshold: Int,
        _ context: inout TurnContext
    ) throws -> [Int64] {
        var whole: [Int64] = []
        var seen: Set<Int64> = []
        for id in ids where whole.count < limit {
            guard let registration = try registration(of: id), seen.insert(registration).inserted else { continue }
            guard try context.summaryRoom > 0 && summarize(registration, above: threshold, &context) else { continue }
            let rows = try db.prepare(
                "SELECT id FROM outbox WHERE registration = ? AND owner IS NULL AND due <= ? ORDER BY id LIMIT ?"
            ).int(registration).int(context.turn.now.milliseconds).int(limit + 1)
            var all: [Int64] = []
            while try rows.next() { all.append(rows.int64(0)) }
            if whole.count + all.count <= limit {
                whole += all
            } else if whole.isEmpty {
                whole += all.prefix(limit)
            }
        }
        return whole
    }

    /// Nil when the row ended in favour of another.
    private func registration(of id: Int64) throws -> Int64? {
        let row = try db.prepare("SELECT registration FROM outbox WHERE id = ?").int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        return row.int64(0)
    }

    /// Ends all but the newest of each conversation among a device's due agents' messages, when these are too many;
    /// proactive ones, silent ones and badges are left alone.
    ///
    /// Returns false when there was not room for all that are to end.
    private func summarize(
        _ registration: Int64,
        above threshold: Int,
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
