import GRDB
import GatewayModel
import GatewayStorage

/// Does the writing, one transaction at a time; confined to the pool's writer queue.
///
/// What it keeps in memory between transactions (numbers of brands, the next delivery) is only ever changed by itself,
/// because one process owns the file; a transaction that fails empties it.
final class Writer {
    let db: Connection
    private var brandKeys: [String: Int64] = [:]
    private var nextDelivery: Int64?

    init(_ db: Connection) { self.db = db }

    func close() { db.close() }

    func transaction<Value>(_ work: (Writer) throws -> Value) throws -> Value {
        try db.execute("BEGIN IMMEDIATE")
        do {
            let value = try work(self)
            try db.execute("COMMIT")
            return value
        } catch {
            brandKeys = [:]
            nextDelivery = nil
            // Full disks and IO errors roll back by themselves; then there is nothing left to roll back.
            try? db.execute("ROLLBACK")
            throw error
        }
    }

    func begin(now: Timestamp) throws -> IncarnationStart {
        try db.prepare("INSERT INTO incarnations (started_at) VALUES (?)").int(now.milliseconds).run()
        let incarnation = IncarnationID(db.lastInsertedRow)
        try db.prepare("UPDATE outbox SET owner = NULL, due = min(due, ?) WHERE owner IS NOT NULL").int(
            now.milliseconds
        ).run()
        let recovered = db.changedRows
        var backlog: [LaneID: Backlog] = [:]
        let rows = try db.prepare("SELECT lane, count(*), min(due) FROM outbox GROUP BY lane")
        while try rows.next() {
            backlog[LaneID(rows.int64(0))] = Backlog(
                count: Int(rows.int64(1)),
                nextDue: Timestamp(milliseconds: rows.int64(2))
            )
        }
        return IncarnationStart(incarnation: incarnation, backlog: backlog, recovered: recovered)
    }

    func commit(_ turn: WriterTurn) throws -> WriterTurnResult {
        var result = WriterTurnResult()
        var context = TurnContext(turn: turn)
        for outcome in turn.outcomes { result.outcomes.append(try record(outcome, now: turn.now)) }
        for change in turn.changes { result.changes.append(try apply(change, &context)) }
        for accept in turn.accepts { result.accepts.append(try self.accept(accept, &context)) }
        try flush(&context)
        for claim in turn.claims { result.claims.append(try self.claim(claim, &context)) }
        result.owned = try context.owned.map { try outboxRow($0, &context) }
        result.unowned = context.unowned
        result.unread = context.unread
        return result
    }

    // MARK: Numbers

    func brandKey(_ brand: BrandID) throws -> Int64? {
        if let known = brandKeys[brand.rawValue] { return known }
        let row = try db.prepare("SELECT key FROM brands WHERE id = ?").text(brand.rawValue)
        guard try row.next() else { return nil }
        let key = row.int64(0)
        row.end()
        brandKeys[brand.rawValue] = key
        return key
    }

    func forgetBrands() { brandKeys = [:] }

    func newDelivery() throws -> Int64 {
        if nextDelivery == nil {
            let row = try db.prepare(
                "SELECT max(coalesce((SELECT max(id) FROM outbox), 0), coalesce((SELECT max(id) FROM delivery_log), 0))"
            )
            _ = try row.next()
            nextDelivery = row.int64(0) + 1
            row.end()
        }
        let id = nextDelivery ?? 1
        nextDelivery = id + 1
        return id
    }
}
