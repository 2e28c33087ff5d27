import GatewayModel
import GatewayStorage
import SQLStorage

/// The start of an incarnation.
extension Writer {
    func begin(now: Timestamp, quietUntil: QuietUntil) throws -> IncarnationStart {
        try db.prepare("INSERT INTO incarnations (started_at) VALUES (?)").int(now.milliseconds).run()
        let incarnation = IncarnationID(db.lastInsertedRow)
        memory.incarnation = incarnation.rawValue
        try loadReplays()
        let recovered = try takeBack(now: now, quietUntil)
        var start = IncarnationStart(
            incarnation: incarnation,
            now: now,
            backlog: try waitingQueues(),
            recovered: recovered,
            lastMessage: try lastMessage()
        )
        start.stopped = try db.stoppedAtStart()
        return start
    }

    /// Throws if a later incarnation than a turn's has started: the rows that the turn's outcomes end are no longer its
    /// own.
    func checkOwner(_ incarnation: IncarnationID) throws {
        let newest = try newestIncarnation()
        guard incarnation.rawValue >= newest else {
            throw StorageError.locked(detail: "start \(newest) has taken over the data from start \(incarnation)")
        }
    }

    private func newestIncarnation() throws -> Int64 {
        if let known = memory.incarnation { return known }
        let row = try db.prepare("SELECT coalesce(max(id), 0) FROM incarnations")
        _ = try row.next()
        let newest = row.int64(0)
        row.end()
        memory.incarnation = newest
        return newest
    }

    /// Releases rows that earlier incarnations owned or held for their windows.
    ///
    /// Makes rows due that only quiet hours which have changed since, or a wrong clock, have delayed.
    ///
    /// Devices whose rows have waited longest come first. Returns the number of owned rows. The outbox is read once; an
    /// index of owned rows would cost a write with every accepted row.
    private func takeBack(now: Timestamp, _ quietUntil: QuietUntil) throws -> Int {
        try db.prepare(
            """
            INSERT INTO waiting (registration, queue, lane, due, not_before, rows) \
            SELECT registration, queue, lane, max(min(queued_at, ?1), not_before), not_before, rows FROM ( \
            SELECT registration, queue, lane, min(queued_at) AS queued_at, count(*) AS rows, coalesce((SELECT max(w.not_before) \
            FROM waiting w WHERE w.registration = o.registration), 0) AS not_before \
            FROM outbox o NOT INDEXED WHERE owner IS NOT NULL GROUP BY registration, queue) WHERE true \
            ON CONFLICT (registration, queue) DO UPDATE SET rows = rows + excluded.rows, \
            due = CASE WHEN due <= ?1 OR due <= not_before THEN due END
            """
        ).int(now.milliseconds).run()
        try db.prepare(
            "UPDATE outbox SET owner = NULL, held = 0, untimed = max(untimed, held) WHERE owner IS NOT NULL"
        ).run()
        let recovered = db.changedRows
        try db.prepare("UPDATE waiting SET not_before = ?1 WHERE not_before > ?2")
            .int(now.milliseconds).int(now.adding(milliseconds: IncarnationStart.longestWaitMilliseconds).milliseconds)
            .run()
        try db.prepare("UPDATE waiting SET due = max(?1, not_before) WHERE due IS NULL").int(now.milliseconds).run()
        for place in try notQuiet(now: now, quietUntil) {
            try db.prepare("UPDATE waiting SET due = max(?1, not_before) WHERE registration = ?2 AND queue = ?3")
                .int(now.milliseconds).int(place.registration).int(place.queue).run()
        }
        return recovered
    }

    /// Returns the lines of devices whose rows wait longer than a provider asked, unless all of them wait until the end
    /// of quiet hours that still hold.
    private func notQuiet(
        now: Timestamp,
        _ quietUntil: QuietUntil
    ) throws -> [(registration: Int64, queue: Int64)] {
        /// Most devices share their traits with others.
        struct Kind: Hashable {
            var lane: Int64
            var timeZone: String?
            var quietHours: String?
        }
        var known: [Kind: Timestamp?] = [:]
        var found: [(registration: Int64, queue: Int64)] = []
        let rows = try db.prepare(
            """
            SELECT w.registration, w.queue, w.lane, w.due, r.time_zone, u.quiet_hours, \
            EXISTS (SELECT 1 FROM waiting o WHERE o.registration = w.registration AND o.due <> w.due) FROM waiting w \
            LEFT JOIN registrations r ON r.id = w.registration LEFT JOIN consumers u ON u.key = r.consumer \
            WHERE w.due > ?1 AND w.due > w.not_before
            """
        ).int(now.milliseconds)
        while try rows.next() {
            let kind = Kind(lane: rows.int64(2), timeZone: rows.optionalString(4), quietHours: rows.optionalString(5))
            let until: Timestamp?
            if let end = known[kind] {
                until = end
            } else {
                let traits = DeviceTraits(
                    locale: nil,
                    timeZone: kind.timeZone,
                    quietHours: kind.quietHours.flatMap(QuietHours.init(stored:))
                )
                until = quietUntil(LaneID(kind.lane), traits)
                known.updateValue(until, forKey: kind)
            }
            let isHeld = rows.int64(6) == 0 && until?.milliseconds == rows.int64(3)
            if !isHeld { found.append((rows.int64(0), rows.int64(1))) }
        }
        return found
    }

    /// Returns the time at which the first row of each queue is due: one index lookup for each queue of each lane,
    /// however many rows wait.
    private func waitingQueues() throws -> [LaneQueue: Timestamp] {
        var backlog: [LaneQueue: Timestamp] = [:]
        let rows = try db.prepare(
            """
            WITH RECURSIVE queues (lane, queue) AS (SELECT l.id, (SELECT w.queue FROM waiting w WHERE w.lane = l.id \
            AND w.due IS NOT NULL ORDER BY w.queue LIMIT 1) FROM lanes l UNION ALL \
            SELECT q.lane, (SELECT w.queue FROM waiting w WHERE w.lane = q.lane AND w.queue > q.queue \
            AND w.due IS NOT NULL ORDER BY w.queue LIMIT 1) FROM queues q WHERE q.queue IS NOT NULL) \
            SELECT q.lane, q.queue, (SELECT w.due FROM waiting w WHERE w.lane = q.lane AND w.queue = q.queue \
            AND w.due IS NOT NULL ORDER BY w.due LIMIT 1) FROM queues q WHERE q.queue IS NOT NULL
            """
        )
        while try rows.next() {
            let place = LaneQueue(LaneID(rows.int64(0)), OutboxQueue(rawValue: rows.int64(1)))
            backlog[place] = Timestamp(milliseconds: rows.int64(2))
        }
        return backlog
    }

    /// Returns the newest message's id, also when the message itself is removed.
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
