import GatewayModel
import GatewayStorage
import Testing

/// The times in the data, and the effects of a wrong clock on it.
enum ClockCases {
    static let all = [times, audited, longWaits, keepsKeys]

    private static let monthsAhead: Int64 = 60 * 86_400

    static let times = ContractCase("the data has the mark and the times of its newest rows") { (f) async throws in
        let start = f.now
        #expect(try await f.store.storedTime() == StoredTime(written: [start]))
        f.now = start.adding(seconds: 60)
        try await f.accepted(f.message("u-1"))
        var stored = try await f.store.storedTime()
        #expect(stored.mark == nil && stored.newest == f.now && Set(stored.written) == [start, f.now])
        let mark = ClockMark(trusted: f.now, guardedMilliseconds: 7)
        try await f.store.keep(mark, audit: nil)
        f.now = f.now.adding(seconds: monthsAhead)
        _ = try await f.restart()
        try await f.accepted(f.message("u-1"))
        stored = try await f.store.storedTime()
        #expect(stored.mark == mark && stored.newest == mark.trusted && stored.written.contains(f.now))
        try await f.store.keep(ClockMark(trusted: f.now), audit: nil)
        #expect(try await f.store.storedTime().mark == ClockMark(trusted: f.now))
    }

    static let audited = ContractCase(
        "an operator's confirmation of the clock is audited in the instance's trail, of no brand"
    ) {
        (f) async throws in
        let entry = AuditEntry(
            brand: nil,
            at: f.now,
            actor: .admin,
            action: .clockAccepted,
            target: f.now.rfc3339,
            requestID: "req-1"
        )
        try await f.store.keep(ClockMark(trusted: f.now), audit: entry)
        #expect(try await f.store.audit(AuditQuery(brand: nil, limit: 10)).map(\.entry) == [entry])
        #expect(try await f.store.audit(AuditQuery(brand: f.brand, limit: 10)).isEmpty)
    }

    static let longWaits = ContractCase(
        "a start ends waits that only a wrong clock can have written, and keeps the others"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        try await f.accepted(f.message("u-1"))
        try await f.accepted(f.message("u-2", in: "c-2"))
        let right = f.now
        let rows = try await f.claim().rows
        #expect(rows.count == 2)
        f.now = right.adding(seconds: monthsAhead)
        let ahead = f.now.adding(seconds: 900)
        let soon = right.adding(milliseconds: IncarnationStart.longestWaitMilliseconds)
        for (row, due) in zip(rows, [ahead, soon]) {
            try await f.outcome(f.unsent(row, .release(due: due, isAsked: true)))
        }
        f.now = right
        let start = try await f.restart()
        #expect(start.backlog == [f.agents(f.apns): right])
        #expect(try await f.claim().rows.map(\.id) == [rows[0].id])
        // It no longer waits, also after another start.
        f.now = soon
        #expect(try await f.restart().backlog == [f.agents(f.apns): right])
        #expect(try await f.claim().rows.map(\.id).sorted { $0.rawValue < $1.rawValue } == rows.map(\.id))
    }

    static let keepsKeys = ContractCase("no idempotency key is deleted where none should be") { (f) async throws in
        let record = IdempotencyRecord(
            key: .init(repeating: 1, count: 32),
            bodyHash: .init(repeating: 2, count: 32),
            createdAt: f.now
        )
        #expect(try await f.store.beginIdempotent(record, forgetting: nil) == nil)
        var later = record
        later.createdAt = f.now.adding(seconds: monthsAhead)
        #expect(try await f.store.beginIdempotent(later, forgetting: nil) == record)
        #expect(try await f.store.beginIdempotent(later, forgetting: later.oldest) == nil)
    }
}
