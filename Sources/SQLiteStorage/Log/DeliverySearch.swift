import GatewayModel
import GatewayStorage

/// Finds a page of deliveries in the outbox and the log; on a reader, in one snapshot.
///
/// Each source returns the numbers of matching rows, newest first, and the number down to which it has searched. A page
/// ends where the source with the shortest search ends. So the work for a page is bounded, and a page can be shorter
/// than requested, even empty, with another after it.
struct DeliverySearch {
    /// The matching rows' numbers of a source.
    struct Found {
        var ids: [Int64] = []
        /// Every match from this number on is included.
        var floor = Int64.min
    }

    /// The upper bound of the rows that a page reads in an index whose other conditions must be checked, and in the
    /// outbox: about 5 ms when none of them matches.
    static let lookLimit = 5000
    /// The number of rows of an index that are counted to compare it with another.
    private static let compareLimit = 1000

    let db: ReadConnection
    let filter: DeliveryFilter
    let query: DeliveryQuery
    let before: Int64
    /// One more than requested shows whether there is a next page.
    let wanted: Int

    init?(_ query: DeliveryQuery, _ db: ReadConnection) throws {
        guard let filter = try DeliveryFilter(query, db) else { return nil }
        self.db = db
        self.filter = filter
        self.query = query
        before = query.before?.rawValue ?? .max
        wanted = query.limit + 1
    }

    func page() throws -> DeliveryPage {
        var places = [try outbox(), try recentLog()]
        if filter.isOfSome {
            places += try filter.byKey.map { try indexedLog($0) }
            places += try filter.owners.map { try messageLog(of: $0) }
        } else {
            places.append(try indexedLog(filter))
        }
        let floor = places.map(\.floor).max() ?? .min
        let found = places.flatMap(\.ids).filter { $0 >= floor }.sorted(by: >)
        let rows = DeliveryRows(db)
        let items = try found.prefix(query.limit).compactMap { try rows.record($0) }
        var next: Int64?
        if found.count > query.limit {
            next = found[query.limit - 1]
        } else if floor > .min {
            next = floor
        }
        return DeliveryPage(items: items, next: next.map(DeliveryID.init))
    }

    /// Returns the statement of a text without values, which is composed of the filter's conditions.
    func statement(_ sql: String) throws -> Statement {
        filter.isOfFewShapes ? try db.prepare(composed: sql) : try db.prepare(once: sql)
    }

    // MARK: Outbox

    private func outbox() throws -> Found {
        guard query.state?.isFinished != true else { return Found() }
        var sql: [String] = []
        var values: [DeliveryFilter.Value] = []
        func add(_ condition: String, _ value: DeliveryFilter.Value?) {
            guard let value else { return }
            sql.append(condition)
            values.append(value)
        }
        add("o.message = ?", filter.message.map { .int($0) })
        add(
            "(SELECT low FROM messages WHERE key = o.message) = ?",
            query.message.map { .int(Int64(bitPattern: $0.low)) }
        )
        add("r.consumer = ?", filter.consumer.map { .int($0) })
        add("r.device = ?", query.device.map { .text($0.rawValue) })
        add("r.push_type = ?", query.provider.map { .text($0.rawValue) })
        add("o.queued_at >= ?", query.since.map { .int($0.milliseconds) })
        add("o.queued_at < ?", query.until.map { .int($0.milliseconds) })
        add(
            "(SELECT reason FROM attempts WHERE delivery = o.id AND number = o.attempts) = ?",
            query.reason.map { .text($0) }
        )
        switch query.state {
        case nil: break
        case .sending: sql.append("o.owner IS NOT NULL AND o.held = 0")
        case .held: sql.append("o.held = 1")
        case .retrying: sql.append("o.owner IS NULL AND o.attempts > 0")
        case .pending: sql.append("o.owner IS NULL AND o.attempts = 0")
        default: return Found()
        }
        let matches = sql.isEmpty ? "1" : sql.joined(separator: " AND ")
        if let registrations = try registrations() {
            // Few rows, found by their registrations; but one registration may have many waiting.
            var found = Found()
            for registration in registrations {
                let rows = try statement(
                    """
                    SELECT o.id, \(matches) FROM outbox o INDEXED BY outbox_registration \
                    JOIN registrations r ON r.id = o.registration \
                    WHERE o.registration = ? AND o.id < ? ORDER BY o.id DESC
                    """
                ).bind(values).int(registration).int(before)
                try take(rows, into: &found)
            }
            return found
        }
        let rows = try statement(
            """
            SELECT o.id, r.brand = ? AND \(matches) FROM outbox o NOT INDEXED \
            JOIN registrations r ON r.id = o.registration WHERE o.id < ? ORDER BY o.id DESC
            """
        ).int(filter.brand).bind(values).int(before)
        var found = Found()
        try take(rows, into: &found)
        return found
    }

    /// Returns the registrations of the filter; nil when it names no consumer, device or message.
    private func registrations() throws -> [Int64]? {
        let rows: Statement
        if let consumer = filter.consumer {
            rows = try db.prepare("SELECT id FROM registrations WHERE consumer = ?").int(consumer)
        } else if let message = filter.message {
            rows = try db.prepare(
                """
                SELECT r.id FROM messages m JOIN conversations c ON c.key = m.conversation \
                JOIN registrations r ON r.consumer = c.consumer WHERE m.key = ? AND c.brand = ?
                """
            ).int(message).int(filter.brand)
        } else if let device = query.device {
            rows = try db.prepare(
                """
                SELECT r.id FROM apps a CROSS JOIN registrations r ON r.brand = a.brand AND r.app = a.id AND r.device = ?1 \
                WHERE a.brand = ?2
                """
            ).text(device.rawValue).int(filter.brand)
        } else {
            return nil
        }
        var ids: [Int64] = []
        while try rows.next() { ids.append(rows.int64(0)) }
        return ids
    }

    // MARK: Log

    /// Finds rows that are not in the filter indexes yet: a bounded number.
    private func recentLog() throws -> Found {
        // The index of messages has all rows.
        guard query.state?.isFinished != false, filter.message == nil else { return Found() }
        let conditions = filter.conditions
        let rows = try statement(
            """
            SELECT d.id FROM delivery_log d INDEXED BY delivery_log_change WHERE d.brand = ?1 \
            AND d.change > coalesce((SELECT indexed FROM log_marks), 0) AND d.indexed = 0 AND d.id < ?2 \
            AND d.queued_at >= ?3 AND d.queued_at < ?4 \(conditions.map { "AND " + $0.sql }.joined(separator: " ")) \
            ORDER BY d.id DESC LIMIT ?
            """
        )
        .int(filter.brand).int(before).int(query.since?.milliseconds ?? .min).int(query.until?.milliseconds ?? .max)
        .bind(conditions.flatMap(\.values)).int(wanted)
        var found = Found()
        while try rows.next() { found.ids.append(rows.int64(0)) }
        if found.ids.count == wanted, let last = found.ids.last { found.floor = last }
        return found
    }

    /// Returns the number ranges that the times and the cursor allow, newest range first.
    func ranges() throws -> [Range<Int64>] {
        try TimeRanges(db).ranges(since: query.since, until: query.until)
            .map { $0.clamped(to: 1..<max(before, 1)) }.filter { !$0.isEmpty }
    }

    private func indexedLog(_ filter: DeliveryFilter) throws -> Found {
        guard query.state?.isFinished != false else { return Found() }
        var conditions = filter.conditions
        let ranges = try ranges()
        guard let newest = ranges.first?.upperBound, let oldest = ranges.last?.lowerBound else { return Found() }
        if conditions.count > 1, conditions[0].index != "delivery_log_message" {
            conditions = try leadFirst(conditions, in: oldest..<newest)
        }
        // The first selects the index; the others are checked.
        let lead = conditions.first
        let isMessage = lead?.index == "delivery_log_message"
        let rest = conditions.dropFirst()
        let matches = isMessage ? ["d.brand = ?"] + rest.map(\.sql) : rest.map(\.sql)
        var found = Found()
        for range in ranges {
            let rows = try statement(
                """
                SELECT d.id\(matches.isEmpty ? "" : ", " + matches.joined(separator: " AND ")) \
                FROM delivery_log d INDEXED BY \(lead?.index ?? "delivery_log_brand") WHERE \
                \(isMessage ? "" : "d.indexed = 1 AND d.brand = ? AND ")\(lead.map { $0.sql + " AND " } ?? "")\
                d.id >= ? AND d.id < ? ORDER BY d.id DESC
                """
            )
            if isMessage { rows.int(filter.brand) }
            _ = rows.bind(rest.flatMap(\.values))
            if !isMessage { rows.int(filter.brand) }
            _ = rows.bind(lead?.values ?? []).int(range.lowerBound).int(range.upperBound)
            guard try take(rows, into: &found, isChecked: !matches.isEmpty) else { break }
        }
        return found
    }

    /// Puts the condition with the fewest rows first.
    private func leadFirst(
        _ conditions: [DeliveryFilter.Condition],
        in range: Range<Int64>
    ) throws -> [DeliveryFilter.Condition] {
        var best = (count: Int64.max, index: 0)
        for (index, condition) in conditions.enumerated() {
            guard let name = condition.index else { continue }
            let row = try statement(
                """
                SELECT count(*) FROM (SELECT 1 FROM delivery_log d INDEXED BY \(name) WHERE d.indexed = 1 \
                AND d.brand = ? AND \(condition.sql) AND d.id >= ? AND d.id < ? LIMIT \(Self.compareLimit))
                """
            ).int(filter.brand).bind(condition.values).int(range.lowerBound).int(range.upperBound)
            guard try row.next() else { continue }
            if row.int64(0) < best.count { best = (row.int64(0), index) }
        }
        var ordered = conditions
        ordered.insert(ordered.remove(at: best.index), at: 0)
        return ordered
    }

    /// Collects numbers whose second column, if there is one, marks a match; false when enough are collected or read.
    @discardableResult
    private func take(_ rows: Statement, into found: inout Found, isChecked: Bool = true) throws -> Bool {
        var looked = 0
        var taken = 0
        while try rows.next() {
            looked += 1
            let id = rows.int64(0)
            if !isChecked || rows.int64(1) != 0 {
                found.ids.append(id)
                taken += 1
            }
            if taken == wanted || looked == Self.lookLimit {
                found.floor = max(found.floor, id)
                rows.end()
                return false
            }
        }
        return true
    }
}
