import GatewayModel
import GatewayStorage
import Testing

/// Accounts and sessions of operators, and messages that are revealed.
enum OperatorCases {
    static let all = [stored, changed, deleted, deletedBrand, sessions, changedPassword, revealed]

    private static func account(
        _ f: ContractFixture,
        _ name: String = "dana",
        _ grants: [OperatorGrant]? = nil
    ) -> StoredOperator {
        StoredOperator(
            name: OperatorName(trusted: name),
            password: "$1$" + name,
            grants: grants ?? [OperatorGrant(.viewer, in: nil), OperatorGrant(.support, in: f.brand)],
            createdAt: f.now,
            updatedAt: f.now
        )
    }

    private static func entry(_ f: ContractFixture, _ action: AuditAction, brand: BrandID? = nil) -> AuditEntry {
        AuditEntry(
            brand: brand,
            at: f.now,
            actor: AuditActor(kind: .operator, id: "dana"),
            action: action,
            target: "dana"
        )
    }

    private static func trail(_ f: ContractFixture) async throws -> [AuditEntry] {
        try await f.store.audit(AuditQuery(brand: nil, limit: 100)).map(\.entry)
            .filter { $0.actor.kind == .operator }
    }

    private static func session(_ f: ContractFixture, _ number: UInt8, _ name: String = "dana") -> StoredOperatorSession
    {
        StoredOperatorSession(
            tokenHash: [UInt8](repeating: number, count: 32),
            name: OperatorName(trusted: name),
            openedAt: f.now,
            usedAt: f.now
        )
    }

    private static func open(
        _ f: ContractFixture,
        _ session: StoredOperatorSession,
        password: String = "$1$dana",
        keeping limit: Int = 2
    ) async throws -> Bool {
        try await f.store.openOperatorSession(
            session,
            password: password,
            keeping: limit,
            openedAfter: f.now.adding(seconds: -100),
            audit: nil
        )
    }

    static let stored = ContractCase("an operator's account is stored once, and read after a restart, by name") {
        (f) async throws in
        #expect(try await f.store.operators().isEmpty)
        let (dana, bob) = (account(f), account(f, "bob", [OperatorGrant(.admin, in: nil)]))
        let audit = entry(f, .operatorCreated)
        #expect(try await f.store.insertOperator(dana, limit: 2, audit: audit))
        await #expect(throws: StorageError.duplicate) {
            _ = try await f.store.insertOperator(dana, limit: 2, audit: audit)
        }
        #expect(try await f.store.insertOperator(bob, limit: 2, audit: nil))
        #expect(try await !f.store.insertOperator(account(f, "carl"), limit: 2, audit: audit))
        for _ in 0..<2 {
            #expect(try await f.store.operators() == [bob, dana])
            #expect(try await f.store.findOperator(dana.name) == dana)
            #expect(try await f.store.findOperator(OperatorName(trusted: "carl")) == nil)
            _ = try await f.restart()
        }
        #expect(try await trail(f) == [audit])
    }

    static let changed = ContractCase(
        "an account's roles and password change each for itself; unknown brands are left out"
    ) {
        (f) async throws in
        var dana = account(f)
        _ = try await f.store.insertOperator(dana, limit: 2, audit: nil)
        f.now = f.now.adding(seconds: 1)
        dana.updatedAt = f.now
        dana.grants = [OperatorGrant(.operator, in: f.brand)]
        let wanted = dana.grants + [OperatorGrant(.admin, in: BrandID(trusted: "nowhere"))]
        let audit = entry(f, .operatorChanged)
        let first = try await f.store.updateOperator(
            dana.name,
            password: nil,
            grants: wanted,
            at: f.now,
            audit: audit
        )
        #expect(first == dana)
        dana.password = "$1$new"
        let second = try await f.store.updateOperator(
            dana.name,
            password: "$1$new",
            grants: nil,
            at: f.now,
            audit: nil
        )
        #expect(second == dana)
        #expect(try await f.store.findOperator(dana.name) == dana)
        let nobody = OperatorName(trusted: "nobody")
        let third = try await f.store.updateOperator(nobody, password: nil, grants: [], at: f.now, audit: audit)
        #expect(third == nil)
        #expect(try await trail(f) == [audit])
    }

    static let deleted = ContractCase("a deleted account is gone with its sessions and roles, and audited once") {
        (f) async throws in
        let dana = account(f)
        _ = try await f.store.insertOperator(dana, limit: 2, audit: nil)
        #expect(try await open(f, session(f, 1)))
        let audit = entry(f, .operatorDeleted)
        for isFound in [true, false] {
            #expect(try await f.store.deleteOperator(dana.name, audit: audit) == isFound)
        }
        #expect(try await f.store.operatorSession(tokenHash: session(f, 1).tokenHash) == nil)
        #expect(try await trail(f) == [audit])
        let successor = account(f, "dana", [OperatorGrant(.viewer, in: nil)])
        _ = try await f.store.insertOperator(successor, limit: 2, audit: nil)
        #expect(try await f.store.findOperator(dana.name) == successor)
    }

    static let deletedBrand = ContractCase("roles of a deleted brand are gone, also for a new brand with its id") {
        (f) async throws in
        let dana = account(f)
        _ = try await f.store.insertOperator(dana, limit: 2, audit: nil)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        let again = Brand(id: f.brand, name: "Again", settings: BrandSettings(), createdAt: f.now)
        try await f.store.insertBrand(again, audit: nil)
        #expect(try await f.store.findOperator(dana.name)?.grants == [OperatorGrant(.viewer, in: nil)])
    }

    static let sessions = ContractCase("sessions are found by their hash, the newest of an account, until they end") {
        (f) async throws in
        let dana = account(f)
        _ = try await f.store.insertOperator(dana, limit: 2, audit: nil)
        _ = try await f.store.insertOperator(account(f, "bob"), limit: 2, audit: nil)
        #expect(try await open(f, session(f, 9, "bob"), password: "$1$bob"))
        #expect(try await !open(f, session(f, 8, "nobody")))
        for number: UInt8 in 1...3 {
            #expect(try await open(f, session(f, number)))
            f.now = f.now.adding(seconds: 1)
        }
        let hash = session(f, 3).tokenHash
        #expect(try await f.store.operatorSession(tokenHash: session(f, 1).tokenHash) == nil, "one too many")
        #expect(try await f.store.operatorSession(tokenHash: session(f, 2).tokenHash)?.account == dana)
        #expect(try await f.store.operatorSession(tokenHash: session(f, 9).tokenHash)?.account.name.rawValue == "bob")
        try await f.store.useOperatorSession(tokenHash: hash, at: f.now)
        for _ in 0..<2 {
            let found = try #require(try await f.store.operatorSession(tokenHash: hash))
            #expect(found.account == dana && found.session.usedAt == f.now && found.session.tokenHash == hash)
            #expect(found.session.openedAt == f.now.adding(seconds: -1))
            _ = try await f.restart()
        }
        let audit = entry(f, .operatorSignedOut)
        for isFound in [true, false] {
            #expect(try await f.store.endOperatorSession(tokenHash: hash, audit: audit) == isFound)
        }
        #expect(try await trail(f) == [audit])
        f.now = f.now.adding(seconds: 99)
        #expect(try await open(f, session(f, 4)))
        #expect(try await f.store.operatorSession(tokenHash: session(f, 9).tokenHash) == nil, "too old")
    }

    static let changedPassword = ContractCase("a new password ends sessions, and none is opened by the old one") {
        (f) async throws in
        _ = try await f.store.insertOperator(account(f), limit: 2, audit: nil)
        #expect(try await open(f, session(f, 1)))
        let name = OperatorName(trusted: "dana")
        _ = try await f.store.updateOperator(name, password: nil, grants: [], at: f.now, audit: nil)
        #expect(try await f.store.operatorSession(tokenHash: session(f, 1).tokenHash)?.account.grants == [])
        _ = try await f.store.updateOperator(name, password: "$1$new", grants: nil, at: f.now, audit: nil)
        #expect(try await f.store.operatorSession(tokenHash: session(f, 1).tokenHash) == nil)
        #expect(try await !open(f, session(f, 2)))
        #expect(try await open(f, session(f, 2), password: "$1$new"))
    }

    static let revealed = ContractCase("a message is revealed to whom the limit allows it, and audited with the reason")
    {
        (f) async throws in
        let id = try #require(try await f.accepted(f.message("u-1")).messageID)
        let start = f.now.adding(seconds: -3600)
        var audit = entry(f, .messageRevealed, brand: f.brand)
        audit.reason = "ticket 4711"
        func reveal(_ id: MessageID, _ audit: AuditEntry) async throws -> String {
            switch try await f.store.revealMessage(id, audit: audit, limit: 2, since: start) {
            case .message(let message): "\(message.id == id) \(message.consumer) \(message.brand)"
            case .unknown: "unknown"
            case .limited(let since): "limited \(since == f.now)"
            }
        }
        #expect(try await reveal(MessageID(high: id.high, low: id.low ^ 1), audit) == "unknown")
        var foreign = audit
        foreign.brand = try await f.makeOtherBrand()
        #expect(try await reveal(id, foreign) == "unknown")
        for _ in 0..<2 { #expect(try await reveal(id, audit) == "true u-1 acme") }
        #expect(try await reveal(id, audit) == "limited true")
        #expect(try await trail(f) == [audit, audit])
        var other = audit
        other.actor.id = "bob"
        #expect(try await reveal(id, other) == "true u-1 acme")
        let later = try await f.store.revealMessage(id, audit: audit, limit: 2, since: f.now)
        guard case .message = later else {
            Issue.record("the limit counts what is past")
            return
        }
    }
}
