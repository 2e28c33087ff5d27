import GatewayModel
import GatewayStorage
import Testing

/// Webhooks of helpdesks.
enum HookCases {
    static let all = [stored, deleted, deletedBrand]

    private static func hook(_ f: ContractFixture, _ id: String, _ sealed: [UInt8] = [1, 0, 2]) -> StoredHook {
        StoredHook(brand: f.brand, id: HookID(trusted: id), sealedSettings: sealed, updatedAt: f.now)
    }

    private static func actions(_ f: ContractFixture) async throws -> [AuditAction] {
        try await f.store.audit(AuditQuery(brand: f.brand, limit: 100)).map(\.entry.action)
    }

    private static func entry(_ f: ContractFixture, _ action: AuditAction) -> AuditEntry {
        AuditEntry(brand: f.brand, at: f.now, actor: .admin, action: action, target: "desk")
    }

    static let stored = ContractCase("a helpdesk's webhook is stored, replaced, and read after a restart, by id") {
        (f) async throws in
        #expect(try await f.store.hooks().isEmpty)
        #expect(try await f.store.putHook(hook(f, "desk"), audit: entry(f, .hookChanged)))
        #expect(try await f.store.putHook(hook(f, "b"), audit: nil))
        #expect(try await f.store.putHook(hook(f, "desk", [9]), audit: nil))
        for _ in 0..<2 {
            #expect(try await f.store.hooks() == [hook(f, "b"), hook(f, "desk", [9])])
            _ = try await f.restart()
        }
        #expect(try await actions(f).contains(.hookChanged))
        var nowhere = hook(f, "desk")
        nowhere.brand = BrandID(trusted: "none")
        #expect(try await !f.store.putHook(nowhere, audit: entry(f, .hookChanged)))
        #expect(try await f.store.hooks().count == 2)
    }

    static let deleted = ContractCase("a deleted helpdesk's webhook is gone, and audited once") { (f) async throws in
        _ = try await f.store.putHook(hook(f, "desk"), audit: nil)
        let desk = HookID(trusted: "desk")
        for isFound in [true, false] {
            let audit = entry(f, .hookDeleted)
            #expect(try await f.store.deleteHook(brand: f.brand, id: desk, audit: audit) == isFound)
        }
        #expect(try await !f.store.deleteHook(brand: BrandID(trusted: "none"), id: desk, audit: nil))
        #expect(try await f.store.hooks().isEmpty)
        #expect(try await actions(f).count { $0 == .hookDeleted } == 1)
    }

    static let deletedBrand = ContractCase("a deleted brand has no helpdesks' webhooks, nor has its successor") {
        (f) async throws in
        _ = try await f.store.putHook(hook(f, "desk"), audit: nil)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        #expect(try await f.store.hooks().isEmpty)
        let again = Brand(id: f.brand, name: "Again", settings: BrandSettings(), createdAt: f.now)
        try await f.store.insertBrand(again, audit: nil)
        #expect(try await f.store.hooks().isEmpty)
    }
}
