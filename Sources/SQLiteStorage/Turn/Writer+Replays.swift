import GatewayModel
import GatewayStorage

/// What is remembered of an event's first coming.
struct FirstComing {
    var message: Int64?
    var hash: UInt64
}

extension Writer {
    /// Remembers an event, or says what is remembered of its first coming.
    func remember(_ replay: Replay, hash: UInt64, message: Int64?, hours: Int64) throws -> FirstComing? {
        // Days to come are asked too: the clock may have been set back.
        let oldest = oldestDay(replay.day, hours: hours)
        let days = try dedupeDays()
        for day in days where day >= oldest && day != replay.day {
            if let first = try firstComing(replay, on: day) { return first }
        }
        if let first = try firstComingByText(replay, on: replay.day) { return first }
        try db.prepare("INSERT OR IGNORE INTO dedupe (day, brand, event, body_hash, message) VALUES (?, ?, ?, ?, ?)")
            .int(replay.day).int(replay.brand).event(replay).int(Int64(bitPattern: hash)).int(message).run()
        if db.changedRows == 0 { return try firstComing(replay, on: replay.day) }
        if days.first != replay.day, !days.contains(replay.day) {
            memory.dedupeDays = (days + [replay.day]).sorted(by: >)
        }
        return nil
    }

    /// The first day whose ids tell a replay: one day more than the hours say, because they may begin late in it.
    func oldestDay(_ today: Int64, hours: Int64) -> Int64 { today - (hours + 23) / 24 }

    /// What is remembered of an event, if it is.
    func find(_ replay: Replay, hours: Int64) throws -> FirstComing? {
        let oldest = oldestDay(replay.day, hours: hours)
        for day in try dedupeDays() where day >= oldest {
            if let first = try firstComing(replay, on: day) { return first }
        }
        return nil
    }

    func forget(_ replay: Replay) throws {
        try db.prepare("DELETE FROM dedupe WHERE day = ? AND brand = ? AND event = ?")
            .int(replay.day).int(replay.brand).event(replay).run()
    }

    private func firstComing(_ replay: Replay, on day: Int64) throws -> FirstComing? {
        let row = try db.prepare("SELECT message, body_hash FROM dedupe WHERE day = ? AND brand = ? AND event = ?")
            .int(day).int(replay.brand).event(replay)
        guard try row.next() else { return try firstComingByText(replay, on: day) }
        defer { row.end() }
        return FirstComing(message: row.optionalInt64(0), hash: UInt64(bitPattern: row.int64(1)))
    }

    /// The same of a hashed key where the version before may have remembered it as it was.
    private func firstComingByText(_ replay: Replay, on day: Int64) throws -> FirstComing? {
        guard replay.hash != nil, try day <= lastTextDay() else { return nil }
        let row = try db.prepare("SELECT message, body_hash FROM dedupe WHERE day = ? AND brand = ? AND event = ?")
            .int(day).int(replay.brand).text(replay.key)
        guard try row.next() else { return nil }
        defer { row.end() }
        return FirstComing(message: row.optionalInt64(0), hash: UInt64(bitPattern: row.int64(1)))
    }

    /// The last day on which long keys were not hashed yet.
    private func lastTextDay() throws -> Int64 {
        if let known = memory.lastTextDay { return known }
        let row = try db.prepare("SELECT max(day) FROM dedupe_text_days")
        defer { row.end() }
        let day = try row.next() ? row.optionalInt64(0) ?? .min : .min
        memory.lastTextDay = day
        return day
    }

    func dedupeDays() throws -> [Int64] {
        if let known = memory.dedupeDays { return known }
        // Hops from day to day: the table is far too long to be read.
        var days: [Int64] = []
        var before = Int64.max
        while true {
            let row = try db.prepare("SELECT max(day) FROM dedupe WHERE day < ?").int(before)
            _ = try row.next()
            let day = row.optionalInt64(0)
            row.end()
            guard let day else { break }
            days.append(day)
            before = day
        }
        memory.dedupeDays = days
        return days
    }

    /// The answer to a replay: the first's ids, and the unread count of now.
    func duplicate(
        of first: FirstComing,
        _ event: AgentEvent,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        let bodyDiffers = first.hash != event.bodyHash
        if let message = first.message {
            try flush(&context)
            let row = try db.prepare(
                """
                SELECT m.low, m.sequence, c.id, \
                (SELECT coalesce(sum(o.unread), 0) FROM conversations o INDEXED BY conversations_unread \
                WHERE o.consumer = c.consumer AND o.has_unread = 1) \
                FROM messages m JOIN conversations c ON c.key = m.conversation JOIN consumers u ON u.key = c.consumer \
                WHERE m.key = ?
                """
            ).int(message)
            if try row.next() {
                defer { row.end() }
                let accepted = AcceptedEvent(
                    messageID: MessageID(high: UInt64(bitPattern: message), low: UInt64(bitPattern: row.int64(0))),
                    conversation: ConversationID(trusted: row.string(2)),
                    sequence: row.int64(1),
                    unread: row.int64(3),
                    deliveries: 0
                )
                return .duplicate(accepted, bodyDiffers: bodyDiffers)
            }
        }
        let unread = try consumer(BrandedName(brand: brand, id: event.consumer.rawValue))?.unread ?? 0
        return .duplicate(.withoutMessage(event.conversation, unread: unread), bodyDiffers: bodyDiffers)
    }
}
