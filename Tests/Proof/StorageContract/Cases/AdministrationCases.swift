import GatewayModel
import GatewayStorage
import Testing

/// Brands, apps, lanes, credentials; opening and closing.
enum AdministrationCases {
    static let all = [
        brands, brandTaken, deleteBrand, deleteUnknown, brandAgain, apps, lanesKeepTheirNumbers, appOfNoBrand,
        deleteApp,
        credentials, credentialDetails, credentialTaken, revoke, allSurvive, idempotency, codes, closed, probe,
    ]

    static let brands = ContractCase("brands are stored with their settings, ordered by id") { (f) async throws in
        var settings = BrandSettings()
        settings.preview = .sender
        settings.presence = .device
        settings.suppressWhileWindowOpen = false
        settings.messageTtlSeconds = 7
        settings.retentionDays = 8
        settings.sessionTtlSeconds = 90
        settings.anonymousSessionTtlSeconds = 2_592_000
        settings.dedupeHours = 24
        settings.anonymousConsumers = true
        settings.singleDevice = true
        settings.wire.ccai = true
        var brand = Brand(id: BrandID(trusted: "Ab"), name: "Ä & Co", settings: settings, createdAt: f.now)
        try await f.store.insertBrand(brand, audit: nil)
        #expect(try await f.store.brands().map(\.id.rawValue) == ["Ab", "acme"])
        #expect(try await f.store.brands().first == brand)
        brand.name = "Other"
        brand.settings = BrandSettings()
        #expect(try await f.store.updateBrand(brand, audit: nil))
        #expect(try await f.store.brands().first == brand)
        brand.id = BrandID(trusted: "gone")
        #expect(try await !f.store.updateBrand(brand, audit: nil))
        #expect(try await f.store.brands().count == 2)
    }

    static let brandTaken = ContractCase("a brand's id is unique") { (f) async throws in
        let brand = Brand(id: f.brand, name: "Other", settings: BrandSettings(), createdAt: f.now)
        await #expect(throws: StorageError.duplicate) { try await f.store.insertBrand(brand, audit: nil) }
        #expect(try await f.store.brands().map(\.name) == ["Acme"])
    }

    static let deleteBrand = ContractCase("a deleted brand's data is deleted, and nothing else") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.response(row))
        try await f.change(f.tap("u-1", "d-1", try #require(row.message?.id)))
        let retried = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(retried, seconds: 5))
        try await f.store.insertCredential(credential(f, "sa-1", .serviceAccount), audit: nil)
        let request = f.request([f.message("u-1", id: "kept")], brand: other)
        try await f.commit { $0.accepts = [request] }
        let lanes = try #require(try await f.store.deleteBrand(f.brand, audit: nil))
        #expect(Set(lanes).count == 3 && lanes.contains(f.apns) && lanes.contains(f.fcm))
        #expect(try await f.store.brands().map(\.id) == [other])
        #expect(try await f.store.apps().map(\.brand) == [other])
        #expect(try await Set(f.store.lanes().values.map(\.brand)) == [other])
        #expect(try await f.store.credentials().isEmpty)
        #expect(try await f.deliveries().isEmpty)
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-1")) == nil)
        #expect(try await f.registrations("u-1").isEmpty)
        #expect(try await f.unread("u-1") == 0)
        let count = try await f.store.unread(brand: other, consumer: ConsumerID(trusted: "u-1")).total
        #expect(count == 1)
        #expect(try await f.accept(f.message("u-1")) == [.rejected(.unknownBrand)])
        #expect(try await f.restart().backlog.isEmpty)
    }

    static let deleteUnknown = ContractCase("an unknown brand or app cannot be deleted") { (f) async throws in
        #expect(try await f.store.deleteBrand(BrandID(trusted: "gone"), audit: nil) == nil)
        #expect(try await f.store.deleteApp(brand: f.brand, app: AppID(trusted: "gone"), audit: nil) == nil)
        #expect(try await f.store.deleteApp(brand: BrandID(trusted: "gone"), app: f.app, audit: nil) == nil)
    }

    static let brandAgain = ContractCase("a brand created again has nothing of the old one") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1", id: "e"))
        let old = f.apns
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        try await f.makeBrand(f.brand, app: f.app)
        #expect(try await f.lane(f.brand, f.app, .apns) != old)
        let accepted = try await f.accepted(f.message("u-1", id: "e"))
        #expect(accepted.sequence == 1 && accepted.unread == 1 && accepted.deliveries == 0)
    }

    static let apps = ContractCase("apps are stored with their sealed settings") { (f) async throws in
        let first = StoredApp(brand: f.brand, id: f.app, sealedSettings: [1, 2, 0, 3], updatedAt: f.now)
        #expect(try await f.store.apps() == [first])
        f.wait(seconds: 1)
        let changed = StoredApp(brand: f.brand, id: f.app, sealedSettings: [0, 255], updatedAt: f.now)
        #expect(try await !f.store.putApp(changed, lanes: [], audit: nil))
        #expect(try await f.store.apps() == [changed])
        #expect(try await f.putApp(f.brand, AppID(trusted: "desk")))
        #expect(try await f.store.apps().map(\.id.rawValue) == ["desk", "shop"])
    }

    static let lanesKeepTheirNumbers = ContractCase("a lane keeps its number when its app changes") {
        (f) async throws in
        let before = try await f.store.lanes()
        #expect(before.count == 3 && Set(before.values).count == 3)
        #expect(before[f.apns] == LaneKey(brand: f.brand, app: f.app, pushType: .apns, environment: .production))
        #expect(try await !f.putApp(f.brand, f.app))
        #expect(try await f.store.lanes() == before)
        let more = LaneKey(brand: f.brand, app: f.app, pushType: .huawei, environment: .production)
        let app = StoredApp(brand: f.brand, id: f.app, sealedSettings: [], updatedAt: f.now)
        _ = try await f.store.putApp(app, lanes: [more], audit: nil)
        let after = try await f.store.lanes()
        #expect(after.count == 4 && after.values.contains(more))
        for (id, key) in before { #expect(after[id] == key) }
    }

    static let appOfNoBrand = ContractCase("an app requires its brand") { (f) async throws in
        await #expect(throws: StorageError.self) { try await f.putApp(BrandID(trusted: "gone"), f.app) }
        #expect(try await f.store.apps().count == 1)
    }

    static let deleteApp = ContractCase("a deleted app ends its registrations and their pending deliveries") {
        (f) async throws in
        let desk = AppID(trusted: "desk")
        _ = try await f.putApp(f.brand, desk)
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", app: desk))
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        let lanes = try #require(try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil))
        #expect(lanes.count == 3 && lanes.contains(f.apns))
        #expect(try await f.store.apps().map(\.id) == [desk])
        #expect(try await f.registrations("u-1").map(\.app) == [desk])
        #expect(try await f.runHousekeeping(.deletedApps) == 2)
        let record = try await f.delivery(row.id).record
        #expect(record.state == .cancelled && record.suppressedBy == .unregistered && record.app == f.app)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
        #expect(try await f.claim(f.apns).rows.isEmpty)
        try await f.outcome(f.response(row))
        #expect(try await f.delivery(row.id).record.state == .accepted)
    }

    private static func credential(
        _ f: ContractFixture,
        _ id: String,
        _ kind: CredentialKind,
        name: String = "name"
    ) -> StoredCredential {
        StoredCredential(
            id: id,
            brand: f.brand,
            name: name,
            details: kind == .sdkKey
                ? .sdkKey(algorithm: .hs384, app: f.app) : .serviceAccount(scopes: [.eventsWrite, .consumersWrite]),
            secretHash: kind == .serviceAccount ? [UInt8](repeating: 7, count: 32) : nil,
            sealedSecret: kind == .sdkKey ? [0, 1, 2] : nil,
            expiresAt: kind == .sdkKey ? f.now.adding(seconds: 60) : nil,
            createdAt: f.now
        )
    }

    static let credentials = ContractCase("credentials are stored unchanged, several of a kind") { (f) async throws in
        let first = credential(f, "sa-1", .serviceAccount)
        let second = credential(f, "sa-2", .serviceAccount)
        let key = credential(f, "key-1", .sdkKey, name: "web")
        for credential in [first, second, key] { try await f.store.insertCredential(credential, audit: nil) }
        let stored = try await f.store.credentials()
        #expect(stored.count == 3)
        for credential in [first, second, key] { #expect(stored.contains(credential)) }
        var lost = credential(f, "sa-3", .serviceAccount)
        lost.brand = BrandID(trusted: "gone")
        await #expect(throws: StorageError.self) { try await f.store.insertCredential(lost, audit: nil) }
    }

    static let credentialDetails = ContractCase("the public details of each kind of credential are stored unchanged") {
        (f) async throws in
        let key = PublicKeyDetails(publicKey: "-----BEGIN PUBLIC KEY-----\nMFkw\n", publicKeyFingerprint: "00ff")
        let inHand = VerificationKey(algorithm: .es256, keyId: nil, source: .key(key))
        let published = VerificationKey(algorithm: .ps256, keyId: "k", source: .jwks(url: "https://a.example/jwks"))
        let provider = IdentityProviderDetails(
            issuer: "https://a.example",
            issuerDisplayName: "Ä \"quoted\"",
            tokenEndpoint: "https://a.example/token",
            clientId: "c",
            clientAuth: .body,
            redirectUris: ["app://a", "https://b.example/?x=1"],
            pkce: .optional,
            key: published
        )
        let broker = TokenBrokerDetails(
            app: f.app,
            tokenUrl: "https://t.example",
            clientId: "c",
            keyId: "k",
            scope: "a b",
            decisionUrl: "https://d.example",
            publicKey: key
        )
        let details: [CredentialDetails] = [
            .serviceAccount(scopes: Scope.allCases), .serviceAccount(scopes: []), .apiKey,
            .sdkKey(algorithm: .hs512, app: nil), .sdkKey(algorithm: .hs256, app: f.app),
            .jwtIssuer(JWTIssuerDetails(issuer: "i", issuerDisplayName: nil, audience: "a", key: inHand)),
            .jwtIssuer(JWTIssuerDetails(issuer: "i", issuerDisplayName: "d", audience: nil, key: published)),
            .jweKey(algorithm: .ecdhES, publicKey: key), .identityProvider(provider), .customerTokenKey,
            .tokenBroker(broker),
        ]
        for (index, details) in details.enumerated() {
            try await f.store.insertCredential(
                StoredCredential(
                    id: "c-\(index + 10)",
                    brand: f.brand,
                    name: "name \(index)",
                    details: details,
                    secretHash: nil,
                    sealedSecret: nil,
                    expiresAt: nil,
                    createdAt: f.now
                ),
                audit: nil
            )
        }
        #expect(try await f.store.credentials().sorted { $0.id < $1.id }.map(\.details) == details)
        let kinds = Set(details.map(\.kind))
        #expect(kinds == Set(CredentialKind.allCases), "every kind")
    }

    static let credentialTaken = ContractCase("a credential's id and an SDK key's name are unique") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.store.insertCredential(credential(f, "sa-1", .serviceAccount), audit: nil)
        try await f.store.insertCredential(credential(f, "key-1", .sdkKey, name: "web"), audit: nil)
        var sameID = credential(f, "sa-1", .sdkKey, name: "other")
        sameID.brand = other
        await #expect(throws: StorageError.duplicate) { try await f.store.insertCredential(sameID, audit: nil) }
        var sameName = credential(f, "key-2", .sdkKey, name: "web")
        sameName.brand = other
        await #expect(throws: StorageError.duplicate) { try await f.store.insertCredential(sameName, audit: nil) }
        try await f.store.insertCredential(credential(f, "sa-2", .serviceAccount, name: "web"), audit: nil)
        #expect(try await f.store.credentials().count == 3)
    }

    static let revoke = ContractCase("a revoked credential is gone, once") { (f) async throws in
        try await f.store.insertCredential(credential(f, "sa-1", .serviceAccount), audit: nil)
        let other = BrandID(trusted: "other")
        #expect(try await !f.store.revokeCredential(brand: other, id: "sa-1", now: f.now, audit: nil))
        #expect(try await !f.store.revokeCredential(brand: f.brand, id: "sa-9", now: f.now, audit: nil))
        #expect(try await f.store.revokeCredential(brand: f.brand, id: "sa-1", now: f.now, audit: nil))
        #expect(try await !f.store.revokeCredential(brand: f.brand, id: "sa-1", now: f.now, audit: nil))
        #expect(try await f.store.credentials().isEmpty)
    }

    static let allSurvive = ContractCase("stored data is there after a restart") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.response(row))
        try await f.store.insertCredential(credential(f, "sa-1", .serviceAccount), audit: nil)
        let before = (
            try await f.store.brands(), try await f.store.apps(), try await f.store.lanes(),
            try await f.store.credentials(), try await f.deliveries()
        )
        let start = try await f.restart()
        #expect(start.recovered == 0 && start.backlog.isEmpty)
        #expect(try await f.store.brands() == before.0)
        #expect(try await f.store.apps() == before.1)
        #expect(try await f.store.lanes() == before.2)
        #expect(try await f.store.credentials() == before.3)
        #expect(try await f.deliveries() == before.4)
        #expect(try await f.unread("u-1") == 1)
        #expect(try await f.accepted(f.message("u-1")).sequence == 2)
    }

    private static func begin(
        _ f: ContractFixture,
        _ record: IdempotencyRecord
    ) async throws -> IdempotencyRecord? {
        try await f.store.beginIdempotent(record, forgetting: record.oldest)
    }

    static let idempotency = ContractCase("a request with an idempotency key is recorded once, for a day") {
        (f) async throws in
        func request(_ key: UInt8, body: UInt8 = 1) -> IdempotencyRecord {
            IdempotencyRecord(
                key: .init(repeating: key, count: 32),
                bodyHash: .init(repeating: body, count: 32),
                createdAt: f.now
            )
        }
        let first = request(1)
        #expect(try await begin(f, first) == nil)
        // It runs: a request that arrives meanwhile gets its record, and does not change it.
        #expect(try await begin(f, request(1, body: 2)) == first)
        #expect(try await begin(f, request(2)) == nil)
        let response = IdempotencyRecord.Response(status: 201, location: "/v1/brands/acme", body: [0x7B, 0x7D])
        try await f.store.endIdempotent(key: first.key, response: response)
        let known = try #require(try await begin(f, request(1)))
        #expect(known.response == response && known.bodyHash == first.bodyHash)
        // The record of a request that changed nothing is deleted; one with a secret stores no body.
        try await f.store.endIdempotent(key: request(2).key, response: nil)
        #expect(try await begin(f, request(2)) == nil)
        let secret = IdempotencyRecord.Response(status: 201, location: nil, body: nil)
        try await f.store.endIdempotent(key: request(2).key, response: secret)
        #expect(try await begin(f, request(2))?.response == secret)
        _ = try await f.restart()
        #expect(try await begin(f, request(1))?.response == response)
        f.now = f.now.adding(milliseconds: IdempotencyRecord.lifetimeMilliseconds)
        #expect(try await begin(f, request(1, body: 3)) == nil)
    }

    static let codes = ContractCase("a code is burnt once, for an hour, across restarts, even with concurrent requests")
    {
        (f) async throws in
        func code(_ byte: UInt8) -> RedeemedCode {
            RedeemedCode(hash: .init(repeating: byte, count: 32), keptFrom: f.now)
        }
        #expect(try await f.store.markCodeUsed(code(1)))
        #expect(try await !f.store.markCodeUsed(code(1)))
        #expect(try await f.store.markCodeUsed(code(2)))
        let (store, contended) = (f.store, code(3))
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await store.markCodeUsed(contended) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        _ = try await f.restart()
        f.now = f.now.adding(milliseconds: RedeemedCode.lifetimeMilliseconds - 1)
        // A repetition does not extend its retention.
        #expect(try await !f.store.markCodeUsed(code(1)))
        f.now = f.now.adding(milliseconds: 1)
        #expect(try await f.store.markCodeUsed(code(1)))
        // Also when the clock is set back.
        f.now = f.now.adding(seconds: -3600)
        #expect(try await !f.store.markCodeUsed(code(1)))
    }

    static let closed = ContractCase("a closed store throws closed") { (f) async throws in
        await f.store.close()
        await f.store.close()
        await #expect(throws: StorageError.closed) { try await f.store.probe() }
        await #expect(throws: StorageError.closed) { try await f.store.begin(now: f.now) }
        await #expect(throws: StorageError.closed) { try await f.store.commit(f.turn()) }
        await #expect(throws: StorageError.closed) { try await f.store.brands() }
    }

    static let probe = ContractCase("an open store responds, and an empty turn does nothing") { (f) async throws in
        try await f.store.probe()
        let result = try await f.commit { _ in }
        #expect(result.owned.isEmpty && result.unowned.isEmpty && result.unread.isEmpty)
    }
}
