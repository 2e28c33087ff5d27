import GatewayModel
import GatewayStorage
import Testing

/// Consumers with unread messages whom no push reaches.
enum UnreachableCases {
    static let all = [listed, oldest, paged, bounded]

    private static func page(
        _ f: ContractFixture,
        brand: BrandID? = nil,
        before: Timestamp? = nil,
        after: ConsumerKey? = nil,
        limit: Int = 100
    ) async throws -> UnreachablePage {
        try await f.store.unreachable(brand: brand ?? f.brand, before: before ?? f.now, after: after, limit: limit)
    }

    /// Returns the first consumer of the list.
    private static func first(_ f: ContractFixture, before: Timestamp? = nil) async throws -> UnreachableConsumer? {
        try await page(f, before: before).items.first
    }

    private static func names(_ page: UnreachablePage) -> [String] { page.items.map(\.id.rawValue) }

    static let listed = ContractCase("consumers with unread messages and no active device are listed, in their brand") {
        (f) async throws in
        f.giveSlots(9)
        // One with a device, one without, one that has read all, one that unregistered, one whose token was rejected.
        try await f.register("d-1", of: "u-1")
        for number in 1...3 { try await f.accepted(f.message("u-\(number)", in: "c-\(number)")) }
        try await f.change(f.read("u-3", "c-3", 1))
        try await f.register("d-4", of: "u-4")
        try await f.accepted(f.message("u-4", in: "c-4"))
        try await f.change(f.unregister("u-4", .all))
        try await f.register("d-5", of: "u-5")
        let row = try await f.ownedRow(f.message("u-5", in: "c-5"))
        let verdict = OutcomeRecord.TokenEffect.quarantine(token: row.token)
        let rejected = PushOutcome.rejected(token: .quarantine)
        try await f.outcome(f.record(row, .finished(.failed, nil), rejected, status: 400, token: verdict))
        let other = try await f.makeOtherBrand()
        let foreign = f.request([f.message("u-2"), f.message("u-6")], brand: other)
        try await f.commit { $0.accepts = [foreign] }
        let accepted = f.now
        #expect(names(try await page(f)).isEmpty, "none is older than now")
        f.wait(seconds: 1)
        let found = try await page(f)
        #expect(names(found) == ["u-2", "u-4", "u-5"] && found.next == nil)
        #expect(found.items.allSatisfy { $0.unread == 1 && $0.unreadSince == accepted })
        #expect(names(try await page(f, brand: other)) == ["u-2", "u-6"])
        #expect(try await page(f, brand: BrandID(trusted: "none")) == UnreachablePage(items: [], next: nil))
        try await f.register("d-2", of: "u-2")
        try await f.change(f.read("u-4", "c-4", 1))
        #expect(names(try await page(f)) == ["u-5"])
        _ = try await f.restart()
        #expect(names(try await page(f)) == ["u-5"])
    }

    static let oldest = ContractCase("the age is that of the oldest unread message, in whichever conversation") {
        (f) async throws in
        let begin = f.now
        try await f.accepted(f.message("u-1", in: "c-1"))
        f.wait(seconds: 60)
        let second = f.now
        try await f.accepted(f.message("u-1", in: "c-2"))
        let request = f.request((1...200).map { _ in f.message("u-1", in: "c-1") })
        try await f.commit { $0.accepts = [request] }
        f.wait(seconds: 60)
        let third = f.now
        try await f.accepted(f.message("u-1", in: "c-1"))
        f.wait(seconds: 1)
        let id = ConsumerID(trusted: "u-1")
        #expect(try await first(f) == UnreachableConsumer(id: id, unread: 203, unreadSince: begin))
        #expect(try await first(f, before: begin) == nil)
        #expect(try await first(f, before: second)?.unreadSince == begin)
        try await f.change(f.read("u-1", "c-1", 201))
        #expect(try await first(f) == UnreachableConsumer(id: id, unread: 2, unreadSince: second))
        #expect(try await first(f, before: second) == nil)
        // A message of the consumer's own is nothing unread.
        try await f.change(f.read("u-1", "c-2", 1))
        #expect(try await first(f) == UnreachableConsumer(id: id, unread: 1, unreadSince: third))
        try await f.change(f.read("u-1", "c-1", 202))
        #expect(try await f.change(f.words("m-1", "one")).written.sequence == 203)
        f.wait(seconds: 60)
        #expect(try await first(f) == nil)
        let last = f.now
        try await f.accepted(f.message("u-1", in: "c-1"))
        f.wait(seconds: 1)
        #expect(try await first(f)?.unreadSince == last)
    }

    static let paged = ContractCase("unreachable consumers are read page by page, those first seen first") {
        (f) async throws in
        let consumers = (1...5).map { "u-\(6 - $0)" }
        let request = f.request(consumers.map { f.message($0) })
        try await f.commit { $0.accepts = [request] }
        f.wait(seconds: 1)
        var found: [[String]] = []
        var next: ConsumerKey?
        repeat {
            let part = try await page(f, after: next, limit: 2)
            found.append(names(part))
            next = part.next
        } while next != nil
        #expect(found == [["u-5", "u-4"], ["u-3", "u-2"], ["u-1"]])
        let whole = try await page(f, limit: 5)
        #expect(names(whole) == consumers && whole.next == nil)
    }

    static let bounded = ContractCase("a page of unreachable consumers reads a bounded number of others") {
        (f) async throws in
        let devices = (1...300).map { f.device("d-\($0)", of: "u-\($0)") }
        try await f.commit { $0.changes = devices.map { .register($0) } }
        let request = f.request((1...301).map { f.message("u-\($0)") })
        try await f.commit { $0.accepts = [request] }
        f.wait(seconds: 1)
        let empty = try await page(f, limit: 1)
        #expect(empty.items.isEmpty && empty.next != nil)
        let rest = try await page(f, after: empty.next, limit: 1)
        #expect(names(rest) == ["u-301"] && rest.next == nil)
    }
}
