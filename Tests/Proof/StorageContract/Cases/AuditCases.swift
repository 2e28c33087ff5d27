import GatewayModel
import GatewayStorage
import Testing

/// The audit trail: written in the transaction of the change, stored longer than the brand.
enum AuditCases {
    static let all = [withTheChange, notWithoutTheChange, windows, outlivesTheBrand, retention, consumers, minted]

    private static func entry(
        _ f: ContractFixture,
        _ action: AuditAction,
        _ target: String,
        brand: BrandID? = nil,
        changes: [String] = []
    ) -> AuditEntry {
        AuditEntry(
            brand: brand ?? f.brand,
            at: f.now,
            actor: AuditActor(kind: .serviceAccount, id: "sa_1"),
            action: action,
            target: target,
            changes: changes,
            requestID: "req-1"
        )
    }

    private static func trail(_ f: ContractFixture, _ brand: BrandID?) async throws -> [AuditEntry] {
        try await f.store.audit(AuditQuery(brand: brand, limit: 100)).map(\.entry)
    }

    static let consumers = ContractCase(
        "back-ends' changes of consumers and readers are audited, and only when they are made"
    ) {
        (f) async throws in
        let id = ConsumerID(trusted: "u-1")
        let reader = SubscriptionID(trusted: "crm")
        func change(_ audit: AuditEntry) -> ProfileChange {
            var change = ProfileChange(brand: f.brand, consumer: id)
            change.name = "Ada"
            change.audit = audit
            return change
        }
        func end(_ audit: AuditEntry) -> StoreChange {
            .endSessions(brand: f.brand, consumer: id, device: nil, unregister: .none, audit: audit)
        }
        let reported = [
            entry(f, .subscriptionDeleted, "crm"), entry(f, .consumerLoggedOut, "u-1"),
            entry(f, .consumerChanged, "u-1", changes: ["name"]),
        ]
        try await f.change(.changeProfile(change(reported[2])))
        try await f.change(end(reported[1]))
        #expect(try await !f.store.deleteSubscription(brand: f.brand, reader, audit: reported[0]))
        #expect(try await trail(f, f.brand).isEmpty)
        try await f.accepted(f.message("u-1"))
        _ = try await f.subscribe("crm")
        try await f.change(.changeProfile(change(reported[2])))
        try await f.change(end(reported[1]))
        #expect(try await f.store.deleteSubscription(brand: f.brand, reader, audit: reported[0]))
        #expect(try await trail(f, f.brand) == reported)
    }

    static let minted = ContractCase("a service account's minted sessions are one entry per hour, with their count") {
        (f) async throws in
        for (id, details) in [
            ("sa_1", CredentialDetails.serviceAccount(scopes: [])), ("sa_2", .serviceAccount(scopes: [])),
            ("key", .apiKey),
        ] {
            let credential = StoredCredential(
                id: id,
                brand: f.brand,
                name: id,
                details: details,
                secretHash: [1],
                sealedSecret: nil,
                expiresAt: nil,
                createdAt: f.now
            )
            try await f.store.insertCredential(credential, audit: nil)
        }
        var byte: UInt8 = 0
        func open(_ credential: String?, signedBy signer: [UInt8]? = nil) async throws {
            byte += 1
            var session = f.session(byte, "u-1", device: nil, seconds: 86_400)
            session.credential = credential
            _ = try await f.change(.openSession(session, LoginTerms(signedBy: signer))).opening
        }
        // To the beginning of an hour.
        f.wait(seconds: 3600 - f.now.seconds % 3600)
        let hour = Timestamp(milliseconds: f.now.milliseconds / 3_600_000 * 3_600_000)
        for _ in 1...3 {
            try await open("sa_1")
            f.wait(seconds: 1199)
        }
        try await open("sa_2")
        // An assertion's, an anonymous one, and one that another session requested.
        try await open("key")
        try await open(nil)
        try await open("sa_1", signedBy: [UInt8](repeating: 1, count: 32))
        f.wait(seconds: 3)
        try await open("sa_1")
        let entries = try await trail(f, f.brand)
        #expect(
            entries.map(\.actor.id) == ["sa_1", "sa_2", "sa_1"] && entries.map(\.target) == entries.map(\.actor.id)
        )
        #expect(entries.map(\.count) == [1, 1, 3])
        #expect(entries.map(\.at) == [hour.adding(seconds: 3600), hour, hour])
        #expect(entries.allSatisfy { $0.action == .sessionsMinted && $0.actor.kind == .serviceAccount })
        #expect(entries.allSatisfy { $0.requestID == nil && $0.changes.isEmpty })
    }

    static let withTheChange = ContractCase("every administrative change has an audit entry, newest first") {
        (f) async throws in
        let brand = Brand(id: BrandID(trusted: "new"), name: "New", settings: BrandSettings(), createdAt: f.now)
        let app = AppID(trusted: "a")
        var reported: [AuditEntry] = []
        func next(_ action: AuditAction, _ target: String) -> AuditEntry {
            f.wait(seconds: 1)
            reported.insert(entry(f, action, target, brand: brand.id, changes: ["name", "settings.preview"]), at: 0)
            return reported[0]
        }
        try await f.store.insertBrand(brand, audit: next(.brandCreated, "new"))
        _ = try await f.store.updateBrand(brand, audit: next(.brandChanged, "new"))
        let stored = StoredApp(brand: brand.id, id: app, sealedSettings: [], updatedAt: f.now)
        _ = try await f.store.putApp(stored, lanes: [], audit: next(.appCreated, "a"))
        let credential = StoredCredential(
            id: "sa_9",
            brand: brand.id,
            name: "n",
            details: .apiKey,
            secretHash: [1],
            sealedSecret: nil,
            expiresAt: nil,
            createdAt: f.now
        )
        try await f.store.insertCredential(credential, audit: next(.credentialIssued, "sa_9"))
        let revoked = next(.credentialRevoked, "sa_9")
        _ = try await f.store.revokeCredential(brand: brand.id, id: "sa_9", now: f.now, audit: revoked)
        _ = try await f.store.deleteApp(brand: brand.id, app: app, audit: next(.appDeleted, "a"))
        try await f.store.appendAudit(next(.deliveryRetried, "17"))
        var bare = next(.outboundReplayed, "feed")
        bare.actor = .gateway
        bare.changes = []
        bare.requestID = nil
        reported[0] = bare
        try await f.store.appendAudit(bare)
        #expect(try await trail(f, brand.id) == reported)
        #expect(try await trail(f, f.brand).isEmpty, "another brand has no entries")
        #expect(try await trail(f, nil) == reported)
        let ids = try await f.store.audit(AuditQuery(brand: nil, limit: 100)).map(\.id)
        #expect(ids == ids.sorted(by: >) && Set(ids).count == reported.count)
    }

    static let notWithoutTheChange = ContractCase("a change that was not made has no audit entry") { (f) async throws in
        let other = BrandID(trusted: "other")
        let brand = Brand(id: f.brand, name: "x", settings: BrandSettings(), createdAt: f.now)
        await #expect(throws: StorageError.duplicate) {
            try await f.store.insertBrand(brand, audit: entry(f, .brandCreated, "x"))
        }
        let gone = Brand(id: other, name: "x", settings: BrandSettings(), createdAt: f.now)
        _ = try await f.store.updateBrand(gone, audit: entry(f, .brandChanged, "x"))
        _ = try await f.store.deleteBrand(other, audit: entry(f, .brandDeleted, "x"))
        let none = AppID(trusted: "none")
        _ = try await f.store.deleteApp(brand: f.brand, app: none, audit: entry(f, .appDeleted, "x"))
        let audit = entry(f, .credentialRevoked, "x")
        _ = try await f.store.revokeCredential(brand: f.brand, id: "none", now: f.now, audit: audit)
        try await f.store.appendAudit(entry(f, .deliveryRetried, "x", brand: other))
        #expect(try await trail(f, nil).isEmpty)
    }

    static let windows = ContractCase("the audit trail is read by time range and page") { (f) async throws in
        let start = f.now
        for number in 0..<6 {
            try await f.store.appendAudit(entry(f, .deliveryRetried, "\(number)"))
            f.wait(seconds: 10)
        }
        func targets(_ query: AuditQuery) async throws -> [String] {
            try await f.store.audit(query).map(\.entry.target)
        }
        let since = start.adding(seconds: 20)
        let until = start.adding(seconds: 40)
        #expect(try await targets(AuditQuery(brand: f.brand, since: since, limit: 9)) == ["5", "4", "3", "2"])
        #expect(try await targets(AuditQuery(brand: f.brand, until: until, limit: 9)) == ["3", "2", "1", "0"])
        #expect(try await targets(AuditQuery(brand: nil, since: since, until: until, limit: 9)) == ["3", "2"])
        let page = try await f.store.audit(AuditQuery(brand: f.brand, limit: 2))
        #expect(page.map(\.entry.target) == ["5", "4"])
        let next = AuditQuery(brand: f.brand, before: page.last?.id, limit: 3)
        #expect(try await targets(next) == ["3", "2", "1"])
        #expect(try await targets(AuditQuery(brand: BrandID(trusted: "gone"), limit: 9)).isEmpty)
    }

    static let outlivesTheBrand = ContractCase("the trail of a deleted brand belongs only to the instance") {
        (f) async throws in
        try await f.store.appendAudit(entry(f, .deliveryRetried, "17"))
        let deleted = entry(f, .brandDeleted, f.brand.rawValue)
        _ = try await f.store.deleteBrand(f.brand, audit: deleted)
        #expect(try await trail(f, f.brand).isEmpty)
        #expect(try await trail(f, nil).map(\.action) == [.brandDeleted, .deliveryRetried])
        try await f.makeBrand(f.brand, app: f.app)
        #expect(try await trail(f, f.brand).isEmpty, "created again it has no entries")
        var batch = HousekeepingBatch(work: .deletedBrands, now: f.now, limit: 100)
        while let next = try await f.store.runHousekeeping(batch).next { batch.position = next }
        #expect(try await trail(f, nil).map(\.brand) == [f.brand, f.brand])
        _ = try await f.restart()
        #expect(try await trail(f, nil).first == deleted)
    }

    static let retention = ContractCase("the audit trail is removed by age, whatever its brands retain") {
        (f) async throws in
        for number in 0..<5 {
            try await f.store.appendAudit(entry(f, .deliveryRetried, "\(number)"))
            f.wait(seconds: 10)
        }
        let before = f.now.adding(seconds: -20)
        var batch = HousekeepingBatch(work: .audit(before: before), now: f.now, limit: 2)
        var removed = 0
        repeat {
            let progress = try await f.store.runHousekeeping(batch)
            removed += progress.removed
            #expect(progress.removed <= 2)
            batch.position = progress.next
        } while batch.position != nil
        #expect(removed == 3)
        #expect(try await trail(f, nil).map(\.target) == ["4", "3"])
        try await f.store.appendAudit(entry(f, .deliveryRetried, "5"))
        let ids = try await f.store.audit(AuditQuery(brand: nil, limit: 9)).map(\.id)
        #expect(ids == [6, 5, 4], "numbers are not reused")
    }
}
