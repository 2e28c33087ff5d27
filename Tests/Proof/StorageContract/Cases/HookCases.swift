import GatewayModel
import GatewayStorage
import Testing

/// Webhooks of helpdesks.
enum HookCases {
    static let all = [stored, deleted, deletedBrand, replies, deletedReplies]

    private static func hook(
        _ f: ContractFixture,
        _ id: String,
        _ sealed: [UInt8] = [1, 0, 2],
        hasReply: Bool = false
    ) -> StoredHook {
        StoredHook(
            brand: f.brand,
            id: HookID(trusted: id),
            sealedSettings: sealed,
            updatedAt: f.now,
            hasReply: hasReply
        )
    }

    private static func receiver(_ f: ContractFixture, _ id: String) -> OutboundReceiver {
        OutboundReceiver(brand: f.brand, hook: HookID(trusted: id))
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

    static let replies = ContractCase("replies of a hook have a state of their own, which keeps items, until they end")
    {
        (f) async throws in
        var brand = try #require(try await f.store.brands().first)
        brand.webhook = WebhookSettings(url: "https://a.example", types: nil, sealedSecret: [1], secretFingerprint: "f")
        #expect(try await f.store.updateBrand(brand, audit: nil))
        try await f.accepted(f.message("u-1"))
        _ = try await f.store.putHook(hook(f, "b"), audit: nil)
        _ = try await f.store.putHook(hook(f, "desk", hasReply: true), audit: nil)
        #expect(try await f.store.hooks().map(\.hasReply) == [false, true])
        #expect(try await f.store.webhookState(of: receiver(f, "b")) == nil)
        var state = try #require(try await f.store.webhookState(of: receiver(f, "desk")))
        #expect(state == WebhookState(mark: 1), "it begins at the end")
        var webhook = try #require(try await f.store.webhookState(of: f.webhook))
        #expect(webhook == WebhookState(mark: 0))
        (state.attempts, state.lastError, state.nextTry) = (3, "refused", f.now)
        #expect(try await f.store.putWebhookState(state, of: receiver(f, "desk")))
        #expect(try await !f.store.putWebhookState(state, of: receiver(f, "b")))
        _ = try await f.restart()
        #expect(try await f.store.webhookState(of: receiver(f, "desk")) == state)
        #expect(try await f.store.webhookState(of: f.webhook) == webhook)
        // What the webhook has received is kept for the replies.
        try await f.accepted(f.message("u-1", in: "c-2"))
        webhook.mark = 2
        #expect(try await f.store.putWebhookState(webhook, of: f.webhook))
        f.wait(seconds: 100)
        let before = [f.brand: f.now.adding(seconds: -86_400)]
        #expect(try await f.runHousekeeping(.outbound(before: before, acknowledgedBefore: f.now)) == 1)
        #expect(try await f.store.replayWebhook(brand: f.brand, after: 1, audit: nil)?.mark == 1)
        // Put again, they are tried at once, where they were.
        _ = try await f.store.putHook(hook(f, "desk", hasReply: true), audit: nil)
        let renewed = try #require(try await f.store.webhookState(of: receiver(f, "desk")))
        #expect(renewed.revision == 2 && renewed.mark == 1 && renewed.attempts == 0 && renewed.nextTry == nil)
        #expect(try await !f.store.putWebhookState(state, of: receiver(f, "desk")))
        _ = try await f.store.putHook(hook(f, "desk"), audit: nil)
        #expect(try await f.store.webhookState(of: receiver(f, "desk")) == nil)
        #expect(try await f.store.webhookState(of: f.webhook) != nil)
    }

    static let deletedReplies = ContractCase("a feed is written for replies alone, and ends with their hook or brand") {
        (f) async throws in
        let desk = HookID(trusted: "desk")
        _ = try await f.store.putHook(hook(f, "desk", hasReply: true), audit: nil)
        try await f.accepted(f.message("u-1"))
        #expect(try await f.items().count == 1)
        #expect(try await f.store.deleteHook(brand: f.brand, id: desk, audit: nil))
        #expect(try await f.store.webhookState(of: receiver(f, "desk")) == nil)
        try await f.accepted(f.message("u-1", in: "c-2"))
        #expect(try await f.items().count == 1)
        _ = try await f.store.putHook(hook(f, "desk", hasReply: true), audit: nil)
        #expect(try await f.store.webhookState(of: receiver(f, "desk"))?.mark == 1)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        try await f.makeBrand(f.brand, app: f.app)
        #expect(try await f.store.webhookState(of: receiver(f, "desk")) == nil)
    }
}
