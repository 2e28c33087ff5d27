import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

extension Writer {
    func remember(_ event: EventKey, hash: UInt64, message: Int64?, hours: Int64) throws -> FirstArrival? {
        let replay = Replay(event, of: event.consumer)
        if let first = try firstArrival(of: event, replay, hours: hours) { return first }
        try store(replay, hash: hash, message: message)
        return nil
    }

    /// Returns the facts of an event's first arrival under any of its names; nil when none is stored.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - replay: The key by its own name.
    ///   - hours: The retention of events' ids.
    /// - Returns: The facts.
    /// - Throws: An error of SQLite.
    func firstArrival(of event: EventKey, _ replay: Replay, hours: Int64) throws -> FirstArrival? {
        if let first = try find(replay, hours: hours) { return first }
        for name in event.otherNames {
            if let first = try find(Replay(event, of: name), hours: hours) { return first }
        }
        return try findByBrand(event, hours: hours)
    }

    func forget(_ event: EventKey) throws {
        let replay = Replay(event, of: event.consumer)
        for key in try storedKeys(of: replay, in: replays.current) {
            try db.prepare("DELETE FROM dedupe WHERE day = ? AND brand = ? AND event = ?")
                .int(replays.current).int(event.brand).blob(key).run()
        }
    }

    /// Stores the key of an event or request that is not stored yet.
    func store(_ replay: Replay, hash: UInt64, message: Int64?) throws {
        try loadReplays()
        if let closed = replays.prepare(for: replay.day) { try storeMarks(closed) }
        let statement = try db.prepare(
            "INSERT INTO dedupe (day, brand, event, body_hash, message) VALUES (?, ?, ?, ?, ?)"
        ).int(replays.current).int(replay.brand)
        if try hasNumbers(replays.current), let number = replays.nextNumber, let key = replay.key(number: number) {
            try statement.blob(key).int(Int64(bitPattern: hash)).int(message).run()
        } else {
            try statement.event(replay).int(Int64(bitPattern: hash)).int(message).run()
        }
        replays.add(replay.mark)
    }

    /// Returns the facts of the first arrival of an event or request, if its key is stored.
    ///
    /// Later days are searched too: the clock may have been set back.
    func find(_ replay: Replay, hours: Int64, through last: Int64 = .max) throws -> FirstArrival? {
        let oldest = EventKey.oldestDay(replay.day, hours: hours)
        try loadReplays()
        for bucket in replays.candidates(replay.mark, since: oldest) where bucket <= last {
            if let first = try firstArrival(replay, in: bucket) { return first }
        }
        return nil
    }

    /// The same for an event that the earlier version stored without its consumer.
    ///
    /// Its message tells whose it was. Without a message, or when that is removed, it counts as any consumer's, as it
    /// did: a lost replay would be shown twice.
    private func findByBrand(_ event: EventKey, hours: Int64) throws -> FirstArrival? {
        let last = try lastBrandBucket()
        guard last != .min, ReplayMemory.day(of: last) >= EventKey.oldestDay(event.day, hours: hours),
            let first = try find(Replay(byBrand: event), hours: hours, through: last)
        else { return nil }
        guard let message = first.message, let owner = try self.owner(ofMessage: message) else { return first }
        return try consumer(BrandedName(brand: event.brand, id: event.consumer))?.key == owner ? first : nil
    }

    /// Returns the consumer of a message; nil when one of both is removed.
    private func owner(ofMessage message: Int64) throws -> Int64? {
        try db.prepare(
            """
            SELECT u.key FROM messages m JOIN conversations c ON c.key = m.conversation \
            JOIN consumers u ON u.key = c.consumer WHERE m.key = ?
            """
        ).int(message).integer()
    }

    /// Returns the last bucket with events that were stored without their consumer.
    private func lastBrandBucket() throws -> Int64 {
        if let known = memory.lastBrandBucket { return known }
        let newest = try db.prepare("SELECT bucket FROM dedupe_brand_buckets ORDER BY bucket DESC LIMIT 1").integer()
        let bucket = newest ?? .min
        memory.lastBrandBucket = bucket
        return bucket
    }

    /// Whether the keys of events in a bucket begin with their numbers: not those of the earlier version, nor those of a
    /// day with too many ids.
    private func hasNumbers(_ bucket: Int64) throws -> Bool {
        guard ReplayMemory.isKnown(bucket) else { return false }
        if let known = memory.lastUnnumberedBucket { return bucket > known }
        let newest = try db.prepare("SELECT max(bucket) FROM dedupe_unnumbered_buckets")
        defer { newest.end() }
        let last = try newest.next() ? newest.optionalInt64(0) ?? .min : .min
        memory.lastUnnumberedBucket = last
        return bucket > last
    }

    /// Returns the keys under which an event may be stored in a bucket: one for each of the bucket's ids with its mark,
    /// which is rarely another event's.
    private func storedKeys(of replay: Replay, in bucket: Int64) throws -> [[UInt8]] {
        guard let hash = replay.hash else { return [] }
        guard try hasNumbers(bucket) else { return [hash] }
        let mark = replay.mark
        let marks = try replays.openMarks(of: bucket) ?? storedMarks(of: bucket) ?? marks(of: bucket)
        return marks.indices.filter { marks[$0] == mark }.compactMap(replay.key(number:))
    }

    private func firstArrival(_ replay: Replay, in bucket: Int64) throws -> FirstArrival? {
        for key in try storedKeys(of: replay, in: bucket) {
            if let first = try firstArrival(of: replay.brand, in: bucket, { $0.blob(key) }) { return first }
        }
        // The earlier version may have stored as a text what is hashed now.
        guard try replay.hash == nil || bucket <= lastTextDay() else { return nil }
        return try firstArrival(of: replay.brand, in: bucket) { $0.text(replay.key) }
    }

    /// Returns the facts of a brand's stored key; `bind` sets it.
    private func firstArrival(
        of brand: Int64,
        in bucket: Int64,
        _ bind: (Statement) -> Statement
    ) throws -> FirstArrival? {
        let row = bind(
            try db.prepare("SELECT message, body_hash FROM dedupe WHERE day = ? AND brand = ? AND event = ?")
                .int(bucket).int(brand)
        )
        guard try row.next() else { return nil }
        defer { row.end() }
        return FirstArrival(message: row.optionalInt64(0), hash: UInt64(bitPattern: row.int64(1)))
    }

    /// Returns the last day on which long keys were not hashed yet.
    private func lastTextDay() throws -> Int64 {
        if let known = memory.lastTextDay { return known }
        let row = try db.prepare("SELECT max(day) FROM dedupe_text_days")
        defer { row.end() }
        let day = try row.next() ? row.optionalInt64(0) ?? .min : .min
        memory.lastTextDay = day
        return day
    }

    // MARK: Buckets

    /// Reads the stored event ids, once in a process.
    func loadReplays() throws {
        guard !replays.isLoaded else { return }
        var loaded = ReplayMemory()
        var isFirst = true
        // Jumps from bucket to bucket: the table is far too long to be read.
        var before = Int64.max
        while let bucket = try newestBucket(before: before) {
            before = bucket
            guard ReplayMemory.isKnown(bucket) else {
                loaded.load(bucket, nil, isOpen: false)
                continue
            }
            if let marks = try storedMarks(of: bucket) {
                loaded.load(bucket, marks, isOpen: false)
                continue
            }
            let marks = try marks(of: bucket)
            // Ids are added to only one bucket, and not to one of the earlier version.
            let isOpen = try isFirst && hasNumbers(bucket)
            loaded.load(bucket, marks, isOpen: isOpen)
            if !isOpen { try storeMarks(ReplayMemory.Closed(bucket: bucket, marks: marks)) }
            isFirst = false
        }
        loaded.isLoaded = true
        replays = loaded
    }

    private func newestBucket(before bucket: Int64) throws -> Int64? {
        let row = try db.prepare("SELECT max(day) FROM dedupe WHERE day < ?").int(bucket)
        defer { row.end() }
        return try row.next() ? row.optionalInt64(0) : nil
    }

    /// Returns the marks of a bucket's ids, by their numbers where they have some.
    private func marks(of bucket: Int64) throws -> [UInt32] {
        // The place of an id that was removed gets a mark that no other place has, and costs a look-up at most.
        var marks: [UInt32?] = []
        var others: [UInt32] = []
        let areNumbered = try hasNumbers(bucket)
        let rows = try db.prepare("SELECT brand, event, typeof(event) = 'blob' FROM dedupe WHERE day = ?").int(bucket)
        while try rows.next() {
            let (brand, isEvent) = (rows.int64(0), rows.int64(2) != 0)
            rows.withBytes(1) { bytes in
                guard areNumbered, isEvent, let number = Replay.number(bytes) else {
                    return others.append(Replay.mark(bytes, brand: brand))
                }
                while marks.count <= number { marks.append(nil) }
                marks[number] = Replay.mark(numbered: bytes, brand: brand)
            }
        }
        // Ids of apps' requests are stored as they are: theirs are among the places that are free.
        var left = others[...]
        for place in marks.indices where marks[place] == nil { marks[place] = left.popFirst() }
        return marks.enumerated().map { $1 ?? UInt32(truncatingIfNeeded: ($0 + 1) &* 0x9E37_79B9) } + left
    }

    private func storedMarks(of bucket: Int64) throws -> [UInt32]? {
        let row = try db.prepare("SELECT marks FROM dedupe_marks WHERE bucket = ?").int(bucket)
        guard try row.next() else { return nil }
        defer { row.end() }
        var marks: [UInt32] = []
        row.withBytes(0) { bytes in
            marks.reserveCapacity(bytes.count / 4)
            for place in stride(from: 0, to: bytes.count - 3, by: 4) {
                marks.append(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
            }
        }
        return marks
    }

    private func storeMarks(_ closed: ReplayMemory.Closed) throws {
        let bytes = closed.marks.map(\.littleEndian).withUnsafeBytes { Array($0) }
        try db.prepare(
            """
            INSERT OR REPLACE INTO dedupe_marks (bucket, marks) \
            SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM dedupe WHERE day = ?1)
            """
        ).int(closed.bucket).blob(bytes).run()
    }

    /// Records that rows of a bucket were removed: it may be empty now.
    func noteRemoved(from bucket: Int64) throws {
        let row = try db.prepare("SELECT 1 FROM dedupe WHERE day = ? LIMIT 1").int(bucket)
        let isThere = try row.next()
        row.end()
        guard !isThere else { return }
        try db.prepare("DELETE FROM dedupe_marks WHERE bucket = ?").int(bucket).run()
        replays.noteEmptied(bucket)
    }

    /// Returns the result for a replay of the event that made a message, with the present unread count.
    func accepted(_ message: Int64) throws -> AcceptedEvent? {
        let row = try db.prepare(
            """
            SELECT m.low, m.sequence, c.id, \
            (SELECT coalesce(sum(o.unread), 0) FROM unread_conversations o WHERE o.consumer = c.consumer) \
            FROM messages m JOIN conversations c ON c.key = m.conversation JOIN consumers u ON u.key = c.consumer \
            WHERE m.key = ?
            """
        ).int(message)
        guard try row.next() else { return nil }
        defer { row.end() }
        return AcceptedEvent(
            messageID: MessageID(high: UInt64(bitPattern: message), low: UInt64(bitPattern: row.int64(0))),
            conversation: ConversationID(trusted: row.string(2)),
            sequence: row.int64(1),
            unread: row.int64(3),
            deliveries: 0
        )
    }
}
