import GatewayModel
import GatewayStorage
import Testing

/// Consumers, sessions and logout.
enum SessionCases {
    static let all = [openAndLookUp, expiredIsKept, twice, oldestEnd, endOfUnknown, upsert]

    private static func session(
        _ f: ContractFixture,
        _ byte: UInt8,
        _ consumer: String = "u-1",
        device: String? = nil,
        seconds: Int64 = 3600
    ) -> StoredSession {
        f.session(byte, consumer, device: device, seconds: seconds)
    }

    private static func exists(_ f: ContractFixture, _ byte: UInt8) async throws -> Bool {
        try await f.hasSession(byte)
    }

    static let openAndLookUp = ContractCase("a session is found by its hash, as it was opened") { (f) async throws in
        let bound = session(f, 1, device: "d-1")
        let free = session(f, 2, "u-2")
        let changes = [bound, free].map { StoreChange.openSession($0) }
        let result = try await f.commit { $0.changes = changes }
        #expect(try result.changes[0].opening == SessionOpening(consumer: bound.consumer, anonymous: false))
        #expect(try result.changes[1].opening == SessionOpening(consumer: free.consumer, anonymous: false))
        #expect(try await f.store.session(tokenHash: bound.tokenHash) == bound)
        #expect(try await f.store.session(tokenHash: free.tokenHash) == free)
        #expect(try await f.store.session(tokenHash: [UInt8](repeating: 9, count: 32)) == nil)
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-2")) != nil)
    }

    static let expiredIsKept = ContractCase(
        "an expired session is kept for a while, so that its device gets the reason"
    ) {
        (f) async throws in
        try await f.open(session(f, 1, seconds: 60))
        f.wait(seconds: 3600)
        try await f.open(session(f, 2))
        #expect(try await exists(f, 1))
    }

    static let twice = ContractCase("one token cannot open two sessions") { (f) async throws in
        try await f.open(session(f, 1))
        await #expect(throws: StorageError.self) {
            try await f.open(session(f, 1, "u-2"))
        }
        #expect(try await f.store.session(tokenHash: [UInt8](repeating: 1, count: 32))?.consumer.rawValue == "u-1")
    }

    static let oldestEnd = ContractCase("the oldest sessions of a consumer end when there are too many") {
        (f) async throws in
        let limit = SessionLimits.perConsumer
        try await f.open(session(f, 255, "u-2"))
        for number in 0..<limit {
            #expect(try await f.open(session(f, UInt8(number))).endedSessions == 0)
            f.wait(seconds: 1)
        }
        #expect(try await exists(f, 0))
        #expect(try await f.open(session(f, 200)).endedSessions == 1)
        // A clock that was set back does not end the newest.
        f.wait(seconds: -86_400)
        #expect(try await f.open(session(f, 201)).endedSessions == 1)
        var live: [Int] = []
        for number in 0..<limit where try await exists(f, UInt8(number)) { live.append(number) }
        #expect(live == Array(2..<limit))
        for byte in [UInt8(200), 201, 255] { #expect(try await exists(f, byte)) }
    }

    static let endOfUnknown = ContractCase("an unknown session cannot end") { (f) async throws in
        let result = try await f.change(.endSession(tokenHash: [UInt8](repeating: 1, count: 32), unregister: .all))
        #expect(result.isNotFound)
    }

    private static func said(
        _ f: ContractFixture,
        _ profile: ConsumerProfile,
        anonymous: Bool = false
    ) async throws -> StoredConsumer {
        let id = ConsumerID(trusted: "u-1")
        let result = try await f.change(
            .upsertConsumer(brand: f.brand, id: id, anonymous: anonymous, profile: profile)
        )
        guard case .consumer(let consumer) = result else { throw Unexpected(what: "\(result)") }
        return consumer
    }

    static let upsert = ContractCase("a consumer's profile is kept until another assertion changes it") {
        (f) async throws in
        let first = try await said(f, ConsumerProfile(name: "Ada", email: "ada@example.org"), anonymous: true)
        #expect(first.anonymous && first.unread == 0 && first.createdAt == f.now && first.id.rawValue == "u-1")
        f.wait(seconds: 5)
        let second = try await said(f, ConsumerProfile(name: nil, email: "a@example.org", phone: "+41"))
        #expect(second.profile == ConsumerProfile(name: "Ada", email: "a@example.org", phone: "+41"))
        #expect(second.key == first.key && second.createdAt == first.createdAt && !second.anonymous)
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-1")) == second)
    }
}
