import GatewayModel
import GatewayStorage
import Testing

/// Taps and receipts (R109-R115).
enum TapCases {
    static let all = [own, foreign, lookBack, receiptsOnce, receiptsForeign]

    static let own = ContractCase("a tap returns the message") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        let id = try #require(try await f.accepted(f.proactive("u-1")).messageID)
        let response = try await f.change(f.tap("u-1", "d-1", id)).tapResult
        #expect(response.first && response.tappedAt == f.now && response.message.id == id)
        #expect(response.message.kind == .proactive && response.message.text == "A table is free tonight")
        #expect(response.message.conversation.rawValue == "c-1" && response.message.sequence == 1)
    }

    static let foreign = ContractCase("another consumer's, another brand's or an unknown message is not found") {
        (f) async throws in
        let id = try #require(try await f.accepted(f.message("u-1")).messageID)
        try await f.accepted(f.message("u-2", in: "c-2"))
        #expect(try await f.change(f.tap("u-2", "d-1", id)).isNotFound)
        #expect(try await f.change(f.tap("nobody", "d-1", id)).isNotFound)
        let guessed = MessageID(high: id.high, low: id.low ^ 1)
        #expect(try await f.change(f.tap("u-1", "d-1", guessed)).isNotFound)
        try await f.makeBrand(BrandID(trusted: "other"), app: f.app)
        let request = TapRequest(
            brand: BrandID(trusted: "other"),
            consumer: ConsumerID(trusted: "u-1"),
            message: id,
            device: DeviceID(trusted: "d-1"),
            tappedAt: f.now,
            action: nil
        )
        #expect(try await f.change(.tap(request)).isNotFound)
    }

    static let lookBack = ContractCase("after the look-back a first tap is gone, a repeated one is not") {
        (f) async throws in
        var event = f.proactive("u-1")
        event.lookBackSeconds = 60
        let first = try #require(try await f.accepted(event).messageID)
        var another = f.proactive("u-1")
        another.lookBackSeconds = 60
        let second = try #require(try await f.accepted(another).messageID)
        f.wait(seconds: 60)
        let tappedAt = f.now
        _ = try await f.change(f.tap("u-1", "d-1", first)).tapResult
        f.wait(seconds: 1)
        #expect(try await f.change(f.tap("u-1", "d-1", second)).isGone)
        let response = try await f.change(f.tap("u-1", "d-1", first)).tapResult
        #expect(!response.first && response.tappedAt == tappedAt)
    }

    static let receiptsOnce = ContractCase("receipts out of order and repeated: the first of each kind counts") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"))
        try await f.outcome(f.response(rows[0]))
        let start = f.now
        // The second delivery's receipts arrive before its outcome.
        for state in [DeviceReceipt.State.dismissed, .displayed, .delivered, .displayed] {
            f.wait(seconds: 1)
            for row in rows {
                #expect(try await f.change(f.receipt("u-1", "d-1", try #require(row.message?.id), state)).recorded == 1)
            }
        }
        try await f.outcome(f.response(rows[1]))
        for row in rows {
            let record = try await f.delivery(row.id).record
            #expect(record.state == .delivered && record.dismissedAt == start.adding(seconds: 1))
            #expect(record.deliveredAt == start.adding(seconds: 1))
            #expect(record.displayedAt == start.adding(seconds: 2))
        }
        let changes = try await f.store.lastDeliveryChange(brand: f.brand)
        try await f.change(f.receipt("u-1", "d-1", try #require(rows[0].message?.id), .displayed))
        #expect(try await f.store.lastDeliveryChange(brand: f.brand) == changes)
        let stats = try await f.store.deliveryStats(brand: f.brand, window: StatsWindow(seconds: 3600), now: f.now)
        #expect([stats.reports.delivered, stats.reports.displayed, stats.reports.dismissed] == [2, 2, 2])
        #expect(stats.reports.taken == 2 && stats.reports.tapped == 0)
        // A silent push cannot be tapped.
        var silent = f.message("u-1")
        silent.silent = true
        f.giveSlots(1)
        try await f.outcome(f.response(try await f.ownedRow(silent)))
        let more = try await f.store.deliveryStats(brand: f.brand, window: StatsWindow(seconds: 3600), now: f.now)
        #expect(more.reports == stats.reports)
    }

    static let receiptsForeign = ContractCase("a receipt of a guessed or another consumer's message has no effect") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.response(row))
        let id = try #require(row.message?.id)
        let guessed = MessageID(high: id.high, low: id.low ^ 1)
        func receipt(_ id: MessageID) -> DeviceReceipt {
            DeviceReceipt(message: id, device: DeviceID(trusted: "d-1"), state: .displayed, at: f.now)
        }
        for consumer in ["u-1", "u-2", "nobody"] {
            let ids = consumer == "u-1" ? [guessed] : [id, guessed]
            let change = StoreChange.receipts(
                brand: f.brand,
                consumer: ConsumerID(trusted: consumer),
                ids.map(receipt)
            )
            guard case .receipts(let met) = try await f.change(change) else { throw Unexpected(what: consumer) }
            #expect(met == ids.map { _ in false })
        }
        #expect(try await f.delivery(row.id).record.state == .accepted)
        let mixed = StoreChange.receipts(
            brand: f.brand,
            consumer: ConsumerID(trusted: "u-1"),
            [receipt(guessed), receipt(id)]
        )
        guard case .receipts(let met) = try await f.change(mixed) else { throw Unexpected(what: "mixed") }
        #expect(met == [false, true])
    }
}
