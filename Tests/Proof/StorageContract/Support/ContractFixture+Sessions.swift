import GatewayModel
import GatewayStorage
import Testing

/// Sessions and their consumers.
extension ContractFixture {
    /// Returns a session whose token's hash repeats one byte.
    func session(
        _ byte: UInt8,
        _ consumer: String = "u-1",
        device: String? = nil,
        credential: String? = nil,
        seconds: Int64 = 3600
    ) -> StoredSession {
        StoredSession(
            tokenHash: [UInt8](repeating: byte, count: 32),
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            device: device.map(DeviceID.init(trusted:)),
            credential: credential,
            expiresAt: now.adding(seconds: seconds),
            createdAt: now
        )
    }

    func hasSession(_ byte: UInt8) async throws -> Bool {
        try await store.session(tokenHash: [UInt8](repeating: byte, count: 32)) != nil
    }

    /// Runs one turn that opens a session; `anonymous` is the session whose token the login presents.
    @discardableResult
    func open(
        _ session: StoredSession,
        singleDevice: Bool = false,
        anonymous: UInt8? = nil,
        merging: AnonymousMerge = .token,
        mergeDays: Int64 = 7,
        currentToken: String? = nil
    ) async throws -> SessionOpening {
        let terms = LoginTerms(
            singleDevice: singleDevice,
            anonymousMerge: merging,
            anonymousMergeDays: mergeDays,
            anonymousToken: anonymous.map { [UInt8](repeating: $0, count: 32) },
            currentToken: currentToken.map(Self.proof)
        )
        return try await change(.openSession(session, terms)).opening
    }

    static func proof(_ token: String) -> PushTokenProof { PushTokenProof(forms: [Array(token.utf8)]) }

    /// Returns the change that creates an anonymous consumer.
    func anonymous(_ consumer: String, brand: BrandID? = nil) -> StoreChange {
        upsert(consumer, brand: brand, isAnonymous: true)
    }

    /// Returns the change that gives a consumer an identifier.
    func identified(_ consumer: String) -> StoreChange { upsert(consumer, brand: nil, isAnonymous: false) }

    private func upsert(_ consumer: String, brand: BrandID?, isAnonymous: Bool) -> StoreChange {
        .upsertConsumer(
            brand: brand ?? self.brand,
            id: ConsumerID(trusted: consumer),
            anonymous: isAnonymous,
            profile: ConsumerProfile()
        )
    }

    /// Logs an anonymous consumer in.
    func openAnonymous(_ byte: UInt8, _ consumer: String, device: String?, mergeDays: Int64 = 7) async throws {
        try await change(anonymous(consumer))
        #expect(try await open(session(byte, consumer, device: device), mergeDays: mergeDays).anonymous)
    }

    func makeCredential(_ id: String, brand: BrandID? = nil, expiresAt: Timestamp? = nil) async throws {
        try await store.insertCredential(
            StoredCredential(
                id: id,
                brand: brand ?? self.brand,
                name: id,
                details: .sdkKey(algorithm: .hs256, app: nil),
                secretHash: nil,
                sealedSecret: [1],
                expiresAt: expiresAt,
                createdAt: now
            ),
            audit: nil
        )
    }
}
