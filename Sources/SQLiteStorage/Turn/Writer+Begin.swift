import GatewayModel
import GatewayStorage

/// The start of an incarnation.
extension Writer {
    func begin(now: Timestamp) throws -> IncarnationStart {
        try db.prepare("INSERT INTO incarnations (started_at) VALUES (?)").int(now.milliseconds).run()
        let incarnation = IncarnationID(db.lastInsertedRow)
        let recovered = try takeBack(now: now)
        return IncarnationStart(
            incarnation: incarnation,
            backlog: try waitingLanes(),
            recovered: recovered,
            lastMessage: try lastMessage()
        )
    }

    /// Frees what earlier incarnations owned or held for their windows, and makes due what only a clock that was set back has put off.
    ///
    /// Returns how many rows were owned. A row that does not wait for its next try is due now, but never before an older
    /// one of its registration. The outbox is read once, in the order of ids, which is that of each device; an index of
    /// owned rows would be paid for with every row that is accepted.
    private func takeBack(now: Timestamp) throws -> Int {
        var recovered = 0
        var changes: [(id: Int64, wait: Wait)] = []
        // The newest due time of registrations whose rows may have to wait longer than they say. Rows that nobody owned
        // were in order among themselves: a registration that has only such rows, all due, needs no entry.
        var latest: [Int64: Wait] = [:]
        let now = now.milliseconds
        let rows = try db.prepare(
            "SELECT id, due, owner IS NOT NULL, registration, not_before FROM outbox ORDER BY id"
        )
        while try rows.next() {
            let (due, isOwned) = (rows.int64(1), rows.int64(2) != 0)
            if isOwned || due > now {
                // Until a provider wants it again it waits, but not for quiet hours that may be others by now.
                let own = min(due, isOwned ? now : max(now, rows.int64(4)))
                let registration = rows.int64(3)
                var elder = latest[registration]
                // One that was given back late may wait for longer than a younger one that the process died with.
                if elder == nil, isOwned { elder = try latestWait(of: registration, before: rows.int64(0)) }
                let new = Wait(due: own, notBefore: rows.int64(4)).behind(elder)
                latest[registration] = new
                if isOwned { recovered += 1 }
                if isOwned || new != Wait(due: due, notBefore: rows.int64(4)) { changes.append((rows.int64(0), new)) }
            } else if !latest.isEmpty, let elder = latest[rows.int64(3)] {
                // One that was owned may follow: it must not go before this one either.
                let old = Wait(due: due, notBefore: rows.int64(4))
                let new = old.behind(elder)
                if new != old { changes.append((rows.int64(0), new)) }
                latest[rows.int64(3)] = new
            }
        }
        for (id, wait) in changes {
            try db.prepare("UPDATE outbox SET owner = NULL, held = 0, due = ?, not_before = ? WHERE id = ?")
                .int(wait.due).int(wait.notBefore).int(id).run()
        }
        return recovered
    }

    /// For what a row waits.
    private struct Wait: Equatable {
        var due: Int64
        var notBefore: Int64

        /// Never less than an older one of its registration.
        func behind(_ elder: Wait?) -> Wait {
            Wait(due: max(due, elder?.due ?? due), notBefore: max(notBefore, elder?.notBefore ?? notBefore))
        }
    }

    private func latestWait(of registration: Int64, before id: Int64) throws -> Wait? {
        let row = try db.prepare("SELECT max(due), max(not_before) FROM outbox WHERE registration = ? AND id < ?")
            .int(registration).int(id)
        defer { row.end() }
        guard try row.next(), let due = row.optionalInt64(0) else { return nil }
        return Wait(due: due, notBefore: row.int64(1))
    }

    /// When the first row of each lane is due: a step in the index for each lane, however many rows wait.
    private func waitingLanes() throws -> [LaneID: Timestamp] {
        var backlog: [LaneID: Timestamp] = [:]
        let rows = try db.prepare(
            """
            SELECT id, due FROM (SELECT l.id, (SELECT o.due FROM outbox o WHERE o.lane = l.id AND o.owner IS NULL \
            ORDER BY o.due LIMIT 1) AS due FROM lanes l) WHERE due IS NOT NULL
            """
        )
        while try rows.next() { backlog[LaneID(rows.int64(0))] = Timestamp(milliseconds: rows.int64(1)) }
        return backlog
    }

    /// The newest message's id, also when the message itself is gone.
    private func lastMessage() throws -> MessageID? {
        let mark = try db.prepare("SELECT last_message FROM high_marks")
        let marked = try mark.next() ? mark.int64(0) : 0
        mark.end()
        let newest = try db.prepare("SELECT key, low FROM messages ORDER BY key DESC LIMIT 1")
        defer { newest.end() }
        if try newest.next(), newest.int64(0) >= marked {
            return MessageID(high: UInt64(bitPattern: newest.int64(0)), low: UInt64(bitPattern: newest.int64(1)))
        }
        return marked > 0 ? MessageID(high: UInt64(bitPattern: marked), low: 0) : nil
    }
}
