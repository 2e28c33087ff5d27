import GatewayModel
import GatewayStorage
import Testing

/// Turns are all or nothing.
enum FailureCases {
    static let all = [nothingIsLeft, memoryIsRight, lateOwner]

    /// A turn of every kind of work whose last event has the message id of its first: no engine can store it.
    private static func poisoned(_ f: ContractFixture, _ row: OutboxRow) -> WriterTurn {
        var turn = f.turn()
        turn.outcomes = [f.response(row)]
        turn.changes = [
            f.read("u-1", "c-1", 1), .register(f.device("d-2", of: "u-1")),
            f.tap("u-1", "d-1", row.message?.id ?? MessageID(high: 0, low: 0)),
        ]
        var request = f.request([
            f.message("u-1", id: "p-1"), f.message("u-2", in: "c-2", id: "p-2"), f.message("u-1", id: "p-3"),
        ])
        request.events[2] = PostedEvent(request.events[2].event, request.events[0].messageID)
        turn.accepts = [request]
        return turn
    }

    static let nothingIsLeft = ContractCase("a failed turn leaves nothing") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        await #expect(throws: StorageError.self) { try await f.store.commit(poisoned(f, row)) }
        let record = try await f.delivery(row.id).record
        #expect(record.state == .sending && record.tappedAt == nil)
        #expect(try await f.unread("u-1") == 1)
        #expect(try await f.registrations("u-1").count == 1)
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-2")) == nil)
        #expect(try await f.messages("u-1", in: "c-1").count == 1)
        #expect(try await f.deliveries().count == 1)
    }

    static let memoryIsRight = ContractCase("after a failed turn its parts may be retried one by one") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        let turn = poisoned(f, row)
        for _ in 0..<2 {
            await #expect(throws: StorageError.self) { try await f.store.commit(turn) }
        }
        try await f.commit { $0.outcomes = turn.outcomes }
        for change in turn.changes { try await f.change(change) }
        var results: [EventResult] = []
        for event in turn.accepts[0].events.prefix(2) {
            var request = turn.accepts[0]
            request.events = [event]
            results += try await f.commit { $0.accepts = [request] }.accepts[0]
        }
        #expect(try results.map { try $0.acceptedEvent.sequence } == [2, 1])
        #expect(try results.map { try $0.acceptedEvent.unread } == [1, 1])
        #expect(try results.map { try $0.acceptedEvent.deliveries } == [2, 0])
        #expect(try await f.delivery(row.id).record.state == .tapped)
        #expect(try await f.unread("u-1") == 1)
    }

    static let lateOwner = ContractCase("a turn of an earlier start ends no row that a later one owns") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        var turn = f.turn()
        turn.outcomes = [f.response(row)]
        let late = turn
        _ = try await f.restart()
        #expect(try await f.claim().rows.map(\.id) == [row.id])
        // Once more after a failure, when nothing is in the engine's memory.
        for _ in 0..<2 {
            await #expect { try await f.store.commit(late) } throws: {
                if case .locked? = $0 as? StorageError { true } else { false }
            }
            #expect(try await f.delivery(row.id).record.state == .sending)
        }
        try await f.outcome(f.response(row))
        #expect(try await f.delivery(row.id).record.state == .accepted)
    }
}
