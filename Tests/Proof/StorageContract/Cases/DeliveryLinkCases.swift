import GatewayModel
import GatewayStorage
import Testing

/// Links that show one delivery.
enum DeliveryLinkCases {
    static let all = [stored, limited, ended, deletedBrand, deletedOperator]

    private static func link(
        _ f: ContractFixture,
        _ number: UInt8,
        _ delivery: Int64 = 7,
        seconds: Int64 = 60,
        brand: BrandID? = nil
    ) -> StoredDeliveryLink {
        StoredDeliveryLink(
            tokenHash: [UInt8](repeating: number, count: 32),
            brand: brand ?? f.brand,
            delivery: DeliveryID(delivery),
            actor: AuditActor(kind: .operator, id: "dana"),
            createdAt: f.now,
            expiresAt: f.now.adding(seconds: seconds)
        )
    }

    private static func entry(_ f: ContractFixture, _ action: AuditAction) -> AuditEntry {
        AuditEntry(
            brand: f.brand,
            at: f.now,
            actor: AuditActor(kind: .operator, id: "dana"),
            action: action,
            target: "7/0102030405060708"
        )
    }

    private static func insert(
        _ f: ContractFixture,
        _ link: StoredDeliveryLink,
        limit: Int = 10,
        brandLimit: Int = 10,
        audit: AuditEntry? = nil
    ) async throws -> Bool {
        try await f.store.insertDeliveryLink(link, limit: limit, brandLimit: brandLimit, audit: audit)
    }

    private static func links(_ f: ContractFixture, _ delivery: Int64 = 7) async throws -> [StoredDeliveryLink] {
        try await f.store.deliveryLinks(brand: f.brand, delivery: DeliveryID(delivery), now: f.now)
    }

    static let stored = ContractCase("a link is found by its hash and its delivery until it is deleted, and audited") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        let (first, second) = (link(f, 1), link(f, 2))
        let (made, gone) = (entry(f, .deliveryLinkCreated), entry(f, .deliveryLinkRevoked))
        #expect(try await insert(f, second, audit: made))
        #expect(try await insert(f, first))
        #expect(try await insert(f, link(f, 3, 8)))
        #expect(try await insert(f, link(f, 4, brand: other)))
        #expect(try await !insert(f, link(f, 5, brand: BrandID(trusted: "nowhere")), audit: made))
        for _ in 0..<2 {
            #expect(try await links(f) == [first, second])
            #expect(try await links(f, 9).isEmpty)
            #expect(try await f.store.deliveryLink(tokenHash: second.tokenHash, now: f.now) == second)
            #expect(try await f.store.deliveryLink(tokenHash: link(f, 9).tokenHash, now: f.now) == nil)
            _ = try await f.restart()
        }
        for isFound in [true, false] {
            #expect(try await f.store.deleteDeliveryLink(tokenHash: second.tokenHash, audit: gone) == isFound)
        }
        #expect(try await links(f) == [first])
        #expect(try await f.store.deliveryLink(tokenHash: second.tokenHash, now: f.now) == nil)
        let trail = try await f.store.audit(AuditQuery(brand: f.brand, limit: 100)).map(\.entry)
        #expect(trail.filter { $0.actor.kind == .operator } == [gone, made])
    }

    static let limited = ContractCase("a delivery and a brand have a maximum of links that have not ended") {
        (f) async throws in
        let audit = entry(f, .deliveryLinkCreated)
        for number: UInt8 in 1...2 { #expect(try await insert(f, link(f, number), limit: 2, brandLimit: 3)) }
        #expect(try await !insert(f, link(f, 3), limit: 2, brandLimit: 3, audit: audit))
        #expect(try await insert(f, link(f, 3, 8, seconds: 61), limit: 2, brandLimit: 3))
        #expect(try await !insert(f, link(f, 4, 9), limit: 2, brandLimit: 3, audit: audit))
        #expect(try await f.store.audit(AuditQuery(brand: f.brand, limit: 100)).isEmpty)
        f.now = f.now.adding(seconds: 60)
        for number: UInt8 in 4...5 { #expect(try await insert(f, link(f, number), limit: 2, brandLimit: 3)) }
        #expect(try await !insert(f, link(f, 6, 9), limit: 2, brandLimit: 3))
    }

    static let ended = ContractCase("a link ends at its time, and housekeeping removes it then") { (f) async throws in
        for number: UInt8 in 1...5 { #expect(try await insert(f, link(f, number))) }
        let lasting = link(f, 6, seconds: 61)
        #expect(try await insert(f, lasting))
        f.now = f.now.adding(milliseconds: 59_999)
        #expect(try await links(f).count == 6)
        #expect(try await f.runHousekeeping(.deliveryLinks) == 0)
        f.now = f.now.adding(milliseconds: 1)
        #expect(try await links(f) == [lasting])
        #expect(try await f.store.deliveryLink(tokenHash: link(f, 1).tokenHash, now: f.now) == nil)
        #expect(try await f.runHousekeeping(.deliveryLinks, limit: 2) == 5)
        #expect(try await f.runHousekeeping(.deliveryLinks) == 0)
        #expect(try await links(f) == [lasting])
    }

    static let deletedBrand = ContractCase("links of a deleted brand are gone, also for a new brand with its id") {
        (f) async throws in
        #expect(try await insert(f, link(f, 1)))
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        #expect(try await f.store.deliveryLink(tokenHash: link(f, 1).tokenHash, now: f.now) == nil)
        let again = Brand(id: f.brand, name: "Again", settings: BrandSettings(), createdAt: f.now)
        try await f.store.insertBrand(again, audit: nil)
        #expect(try await links(f).isEmpty)
        #expect(try await insert(f, link(f, 1)), "the row is gone, too")
    }

    static let deletedOperator = ContractCase("links of an operator end with the account, not those of a namesake") {
        (f) async throws in
        let dana = StoredOperator(
            name: OperatorName(trusted: "dana"),
            password: nil,
            grants: [OperatorGrant(.viewer, in: nil)],
            createdAt: f.now,
            updatedAt: f.now
        )
        #expect(try await f.store.insertOperator(dana, limit: 2, audit: nil))
        var account = link(f, 2)
        account.actor.kind = .serviceAccount
        #expect(try await insert(f, link(f, 1)))
        #expect(try await insert(f, account))
        #expect(try await f.store.deleteOperator(dana.name, audit: nil))
        #expect(try await links(f) == [account])
    }
}
