import Foundation
import GatewayModel
import GatewayStorage
import Identity
import Logging
import SQLiteStorage
import TestSupport

/// A real store in its own folder, and the parts that are built on it.
struct Gateway {
    static let acme = BrandID(trusted: "acme")
    static let other = BrandID(trusted: "other")
    /// The time at which the clock begins, in seconds: 2023-11-14T22:13:20Z.
    static let start: Int64 = 1_700_000_000

    let folder: URL
    let store: any GatewayStore
    let key: MasterKey
    let clock: TestClock
    let directory: Directory
    let writer: StoreWriter

    /// Runs a test on a new store with the brands `acme` and `other`, and cleans up after it.
    static func with(
        anonymousConsumers: Bool = false,
        _ body: (Gateway) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "identity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteStore.open(
            path: folder.appending(path: "data.sqlite").path,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let clock = TestClock(now: Timestamp(milliseconds: start * 1000))
        let key = MasterKey()
        let incarnation = try await store.begin(now: clock.now).incarnation
        let directory = try await load(store, key, clock)
        let gateway = Gateway(
            folder: folder,
            store: store,
            key: key,
            clock: clock,
            directory: directory,
            writer: StoreWriter(store: store, clock: clock, incarnation: incarnation)
        )
        var settings = BrandSettings()
        settings.anonymousConsumers = anonymousConsumers
        for id in [acme, other] {
            let brand = Brand(id: id, name: id.rawValue, settings: settings, createdAt: clock.now)
            try await directory.createBrand(brand)
        }
        do {
            try await body(gateway)
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }

    static func load(
        _ store: any TenantStore & AuditStore,
        _ key: MasterKey,
        _ clock: TestClock
    ) async throws(DirectoryError) -> Directory {
        try await Directory.load(store: store, box: SecretBox(key: key), clock: clock, reader: TestSettingsReader())
    }

    /// Returns the directory as a restart would load it.
    func reloaded() async throws(DirectoryError) -> Directory { try await Self.load(store, key, clock) }

    /// The published keys, as the test sets them.
    let published = TestPublishedKeys()

    var verifier: AssertionVerifier {
        AssertionVerifier(directory: directory, publishedKeys: published, clock: clock)
    }

    /// Creates an SDK key with a secret of the test.
    @discardableResult
    func sdkKey(
        _ name: String,
        secret: String? = Signer.secret,
        brand: BrandID = acme,
        algorithm: HMACAlgorithm = .hs256,
        app: AppID? = nil,
        expiresAt: Timestamp? = nil
    ) async throws(DirectoryError) -> IssuedCredential {
        try await directory.issue(
            .sdkKey(algorithm: algorithm, secret: secret, app: app),
            brand: brand,
            name: name,
            expiresAt: expiresAt
        )
    }

    /// Creates an issuer whose tokens ``Issuer`` signs.
    @discardableResult
    func issuer(
        _ details: JWTIssuerDetails = Issuer.details(),
        named name: String = "login",
        brand: BrandID = acme,
        expiresAt: Timestamp? = nil
    ) async throws(DirectoryError) -> IssuedCredential {
        try await directory.issue(.jwtIssuer(details), brand: brand, name: name, expiresAt: expiresAt)
    }

    /// Creates a key that decrypts, and a sealer for it.
    func sealer(
        _ algorithm: KeyEncryptionAlgorithm = .rsaOAEP256,
        encryption: String = "A256GCM",
        brand: BrandID = acme,
        expiresAt: Timestamp? = nil
    ) async throws -> (id: String, sealer: Sealer) {
        let issued = try await directory.issue(
            .jweKey(algorithm: algorithm, privateKey: nil),
            brand: brand,
            name: "key",
            expiresAt: expiresAt
        )
        guard case .jweKey(_, let key) = issued.summary.details else { throw DirectoryError.notFound }
        return (
            issued.summary.id,
            Sealer(algorithm: algorithm, encryption: encryption, publicPEM: key.publicKey)
        )
    }

    static let apns = APNsSettings(
        teamId: "TEAM123456",
        keyId: "KEY1234567",
        privateKey: "PEM-OF-PRODUCTION",
        topic: "com.example.chat",
        sandboxKey: APNsTokenSettings.SandboxKey(keyId: "KEY7654321", privateKey: "PEM-OF-SANDBOX")
    )

    static let fcm = FCMSettings(
        serviceAccount: FCMSettings.ServiceAccount(
            projectId: "project",
            privateKeyId: "key-id",
            privateKey: "PEM-OF-FCM",
            clientEmail: "push@project.example",
            tokenUri: "https://oauth2.googleapis.com/token"
        )
    )
}
