import GatewayModel
import GatewayStorage
import Testing

/// The outcomes of rows that were handed out.
enum OutcomeCases {
    static let all = [
        finishedToLog, finishedTogether, retries, lateRetry, unknownDelivery, dropByAttempt, retriedThenCancelled,
    ]

    static let finishedToLog = ContractCase("a finished delivery is in the log with all its facts, and nowhere else") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(10)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"), f.message("u-1"))
        f.wait(seconds: 1)
        let outcomes = [
            f.response(rows[0], .accepted(providerID: "apns-9"), badge: 3),
            f.response(rows[1], .rejected(token: .keep), status: 400, reason: "BadTopic", badge: 4),
            f.record(rows[2], .finished(.suppressed, .silenced), .accepted(providerID: nil)),
        ]
        let result = try await f.commit { $0.outcomes = outcomes }
        #expect(result.outcomes == [OutcomeEffect(), OutcomeEffect(), OutcomeEffect()])
        let records = try await f.deliveries()
        #expect(records.map(\.id) == rows.map(\.id).reversed())
        let accepted = try #require(records.last)
        #expect(accepted.state == .accepted && accepted.providerID == "apns-9" && accepted.status == 200)
        #expect(accepted.badge == 3 && accepted.attempts == 1 && accepted.reason == nil)
        #expect(accepted.sentAt == f.now && accepted.latencyMilliseconds == 42)
        #expect(accepted.queuedAt == f.now.adding(seconds: -1) && accepted.messageID == rows[0].message?.id)
        #expect(accepted.consumer.rawValue == "u-1" && accepted.device.rawValue == "d-1")
        #expect(accepted.app == f.app && accepted.provider == .apns && accepted.suppressedBy == nil)
        #expect(records[1].state == .failed && records[1].reason == "BadTopic" && records[1].status == 400)
        #expect(records[1].badge == 4 && records[1].providerID == nil)
        #expect(records[0].state == .suppressed && records[0].suppressedBy == .silenced)
        #expect(try await f.restart().backlog.isEmpty)
    }

    static let finishedTogether = ContractCase("outcomes of one turn have an order, also those of cancelled rows") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(40)
        var rows: [OutboxRow] = []
        for _ in 0..<20 { rows.append(try await f.ownedRow(f.message("u-1"))) }
        try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(5)))
        let position = try await f.store.lastDeliveryChange(brand: f.brand)
        // The cancelled ones are among the others.
        let sent = rows.indices.map { rows[$0 * 7 % rows.count] }
        let outcomes = sent.map { f.response($0, .accepted(providerID: "p-\($0.id.rawValue)")) }
        try await f.commit { $0.outcomes = outcomes }
        let changes = try await f.store.deliveryChanges(DeliveryQuery(brand: f.brand, limit: 100), after: position)
        let records = changes.items.map(\.record)
        #expect(records.map(\.id) == sent.map(\.id))
        #expect(records.compactMap(\.providerID) == sent.map { "p-\($0.id.rawValue)" })
        #expect(records.allSatisfy { $0.state == .accepted && $0.attempts == 1 && $0.suppressedBy == nil })
        let stored = try await f.deliveries().filter { $0.messageID != nil }
        #expect(stored.map(\.id) == rows.map(\.id).reversed())
    }

    static let retries = ContractCase("a retry is stored with its attempt, its count and its due time") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        var row = try await f.ownedRow(f.message("u-1"))
        for number in 1...2 {
            try await f.outcome(f.retry(row, seconds: 30))
            let detail = try await f.delivery(row.id)
            #expect(detail.record.state == .retrying && detail.record.attempts == number)
            #expect(detail.record.status == 503 && detail.record.reason == "ServiceUnavailable")
            #expect(detail.record.sentAt == f.now && detail.attempts.map(\.number) == Array(1...number))
            f.wait(seconds: 30)
            row = try #require(try await f.claim().rows.first)
            #expect(row.attempts == number)
            #expect(try await f.delivery(row.id).record.state == .sending)
        }
        try await f.outcome(f.response(row))
        let detail = try await f.delivery(row.id)
        #expect(detail.record.state == .accepted && detail.record.attempts == 3)
        #expect(detail.attempts.map(\.number) == [1, 2, 3] && detail.attempts.map(\.status) == [503, 503, 200])
        #expect(detail.attempts.map(\.reason) == ["ServiceUnavailable", "ServiceUnavailable", nil])
        #expect(detail.attempts.map(\.latencyMilliseconds) == [42, 42, 42])
        #expect(detail.attempts.last?.sentAt == f.now)
    }

    static let lateRetry = ContractCase("a late retry or release of a cancelled row does not restore it") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"))
        try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(2)))
        let outcomes = [f.retry(rows[0], seconds: 1), f.unsent(rows[1], .release(due: f.now))]
        try await f.commit { $0.outcomes = outcomes }
        f.wait(seconds: 10)
        #expect(try await f.claim().rows.isEmpty)
        let tried = try await f.delivery(rows[0].id)
        #expect(tried.record.state == .cancelled && tried.record.attempts == 1 && tried.record.status == 503)
        #expect(tried.attempts.map(\.status) == [503])
        #expect(try await f.delivery(rows[1].id).record.attempts == 0)
    }

    static let unknownDelivery = ContractCase("an outcome of a removed delivery does nothing") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"))
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        let outcomes = [f.response(rows[0]), f.retry(rows[1], seconds: 1)]
        #expect(try await f.commit { $0.outcomes = outcomes }.outcomes == [OutcomeEffect(), OutcomeEffect()])
        #expect(try await f.restart().backlog.isEmpty)
    }

    static let dropByAttempt = ContractCase("without a time of death, the attempt's time decides") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"))
        f.wait(seconds: 10)
        let early = f.record(
            rows[0],
            .finished(.failed, nil),
            .unregistered(since: nil),
            token: .drop(token: rows[0].token, since: nil)
        )
        f.wait(seconds: 10)
        try await f.register("d-1", of: "u-1")
        #expect(try await f.outcome(early).ended.isEmpty)
        f.wait(seconds: 10)
        let late = f.record(
            rows[1],
            .finished(.failed, nil),
            .unregistered(since: nil),
            token: .drop(token: rows[1].token, since: nil)
        )
        #expect(try await f.outcome(late).ended == [rows[1].registration])
    }

    static let retriedThenCancelled = ContractCase("a row that was tried and then cancelled keeps its last response") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(row, seconds: 60))
        let sentAt = f.now
        f.wait(seconds: 1)
        try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(1)))
        let detail = try await f.delivery(row.id)
        #expect(detail.record.state == .cancelled && detail.record.suppressedBy == .read)
        #expect(detail.record.attempts == 1 && detail.record.status == 503 && detail.record.sentAt == sentAt)
        #expect(detail.attempts.map(\.status) == [503])
    }
}
