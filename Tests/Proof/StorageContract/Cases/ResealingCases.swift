import GatewayModel
import GatewayStorage
import Synchronization
import Testing

/// The replacement of all sealed secrets together.
enum ResealingCases {
    static let all = [everything, nothing, givenUp, notVerified]

    private static let other = BrandID(trusted: "other")

    private static func webhook(_ f: ContractFixture) -> WebhookSettings {
        WebhookSettings(
            url: "https://hook.example",
            types: nil,
            sealedSecret: [10, 1],
            secretFingerprint: "ab",
            previous: [
                .init(sealedSecret: [10, 2], untilMilliseconds: f.now.milliseconds),
                .init(sealedSecret: [10, 3], untilMilliseconds: 5),
            ],
            setMilliseconds: 4
        )
    }

    private static func credential(_ f: ContractFixture, _ id: String, sealed: [UInt8]?) -> StoredCredential {
        StoredCredential(
            id: id,
            brand: other,
            name: id,
            details: sealed == nil ? .serviceAccount(scopes: [.eventsWrite]) : .sdkKey(algorithm: .hs256, app: nil),
            secretHash: sealed == nil ? [4, 4] : nil,
            sealedSecret: sealed,
            expiresAt: nil,
            createdAt: f.now
        )
    }

    /// Two brands, an app in one; a webhook with three keys, a credential and a helpdesk's webhook in the other.
    private static func fill(_ f: ContractFixture) async throws {
        try await f.store.insertBrand(
            Brand(id: other, name: "O", settings: BrandSettings(), createdAt: f.now, webhook: webhook(f)),
            audit: nil
        )
        for (id, sealed) in [("sa", nil), ("key", [20, 1]), ("gone", [20, 2])] as [(String, [UInt8]?)] {
            try await f.store.insertCredential(credential(f, id, sealed: sealed), audit: nil)
        }
        _ = try await f.store.revokeCredential(brand: other, id: "gone", now: f.now, audit: nil)
        let hook = StoredHook(brand: other, id: HookID(trusted: "desk"), sealedSettings: [30, 1], updatedAt: f.now)
        _ = try await f.store.putHook(hook, audit: nil)
    }

    private static func facts(_ f: ContractFixture) async throws -> ([Brand], [StoredApp], [StoredCredential]) {
        (try await f.store.brands(), try await f.store.apps(), try await f.store.credentials())
    }

    private static let sealed: [SealedSecret] = [
        SealedSecret(owner: .app(BrandID(trusted: "acme"), AppID(trusted: "shop")), bytes: [1, 2, 0, 3]),
        SealedSecret(owner: .credential(other, id: "key"), bytes: [20, 1]),
        SealedSecret(owner: .webhook(other), bytes: [10, 1]),
        SealedSecret(owner: .webhook(other), bytes: [10, 2]),
        SealedSecret(owner: .webhook(other), bytes: [10, 3]),
        SealedSecret(owner: .hook(other, HookID(trusted: "desk")), bytes: [30, 1]),
    ]

    private static let rotatedAt = Timestamp(milliseconds: 1_900_000_000_000)

    /// Returns the audit entries of rotations, by brand.
    private static func trail(_ f: ContractFixture) async throws -> [AuditEntry] {
        try await f.store.audit(AuditQuery(brand: nil, limit: 100)).map(\.entry).filter {
            $0.action == .masterKeyRotated
        }
        .sorted { $0.target < $1.target }
    }

    static let everything = ContractCase("all sealed secrets are replaced, and nothing else") {
        (f) async throws in
        try await fill(f)
        let before = try await facts(f)
        let met = Mutex<[SealedSecret]>([])
        let verified = Mutex<[SealedSecret]>([])
        let counts = try await f.store.resealSecrets(at: rotatedAt) { secret in
            met.withLock { $0.append(secret) }
            return [99] + secret.bytes
        } verify: { secret in
            verified.withLock { $0.append(secret) }
            return true
        }
        var expected = ResealedCounts()
        (expected.apps, expected.credentials, expected.webhookKeys, expected.hooks) = (1, 1, 3, 1)
        #expect(counts == expected)
        #expect(met.withLock { $0 } == sealed)
        let replaced = sealed.map { SealedSecret(owner: $0.owner, bytes: [99] + $0.bytes) }
        #expect(verified.withLock { $0 } == replaced)
        for _ in 0..<2 {
            let (brands, apps, credentials) = try await facts(f)
            var (wantedBrands, wantedApps, wantedCredentials) = before
            for index in wantedApps.indices { wantedApps[index].sealedSettings.insert(99, at: 0) }
            for index in wantedCredentials.indices { wantedCredentials[index].sealedSecret?.insert(99, at: 0) }
            for index in wantedBrands.indices {
                wantedBrands[index].webhook?.sealedSecret.insert(99, at: 0)
                for previous in (wantedBrands[index].webhook?.previous ?? []).indices {
                    wantedBrands[index].webhook?.previous[previous].sealedSecret.insert(99, at: 0)
                }
            }
            #expect(brands == wantedBrands)
            #expect(apps == wantedApps)
            #expect(credentials == wantedCredentials)
            #expect(try await f.store.hooks().map(\.sealedSettings) == [[99, 30, 1]])
            // Each brand has an entry.
            let reported = try await trail(f)
            #expect(reported.map(\.brand) == brands.map(\.id))
            for entry in reported {
                #expect(entry.at == rotatedAt && entry.actor == .gateway && entry.target == entry.brand?.rawValue)
            }
            _ = try await f.restart()
        }
    }

    static let nothing = ContractCase("without sealed secrets nothing is audited: the valid key cannot be determined") {
        (f) async throws in
        _ = try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil)
        let counts = try await f.store.resealSecrets(at: rotatedAt) { _ in
            nil
        } verify: { _ in
            true
        }
        #expect(counts.total == 0)
        #expect(try await trail(f).isEmpty)
    }

    static let givenUp = ContractCase("when one cannot be sealed again nothing is changed") { (f) async throws in
        try await fill(f)
        let before = try await facts(f)
        await #expect(throws: StorageError.self) {
            try await f.store.resealSecrets(at: rotatedAt) {
                $0.bytes == [10, 3] ? nil : [99]
            } verify: { _ in
                true
            }
        }
        #expect(try await facts(f) == before)
        #expect(try await trail(f).isEmpty)
    }

    static let notVerified = ContractCase("when one cannot be opened again nothing is changed") { (f) async throws in
        try await fill(f)
        let before = try await facts(f)
        await #expect(throws: StorageError.self) {
            try await f.store.resealSecrets(at: rotatedAt) {
                [99] + $0.bytes
            } verify: {
                $0.bytes != [99, 20, 1]
            }
        }
        #expect(try await facts(f) == before)
        let again = try await f.store.resealSecrets(at: rotatedAt) {
            [98] + $0.bytes
        } verify: {
            $0.bytes.first == 98
        }
        #expect(again.total == sealed.count)
    }
}
