internal import Cryptography
package import GatewayModel
package import GatewayStorage
internal import Synchronization
internal import TextFormats

/// Accounts and sessions of operators: hashes passwords, slows down guesses, opens and finds sessions.
///
/// Sessions are read from the store with each request, so that a changed role counts at once. Thread-safe.
package final class OperatorService: Sendable {
    /// The maximum number of accounts of an instance.
    package static let maxAccounts = 1000
    /// The maximum number of sessions of an account; a further one ends the oldest.
    package static let maxSessions = 16
    /// The longest time for which a session lasts.
    package static let lifetimeSeconds: Int64 = 12 * 3600
    /// The longest time between two requests of a session.
    package static let idleSeconds: Int64 = 3600
    /// The maximum number of messages that a caller may reveal in an hour.
    package static let revealsPerHour = 60
    /// The minimum length of a password, in characters of Unicode.
    package static let minPasswordCharacters = 12
    /// The maximum length of a password, in characters of Unicode.
    package static let maxPasswordCharacters = 256

    /// A use is stored at most once in this time.
    private static let useMilliseconds: Int64 = 60_000

    /// A new session.
    package struct Opened: Sendable {
        /// The token, which only the response contains.
        package var token: String
        /// The operator.
        package var identity: OperatorIdentity
    }

    private struct Waits {
        // One address cannot block an account's owner for longer than this.
        var names = SignInBackoff<BoundedName>(longestSeconds: 60)
        var addresses = SignInBackoff<String>(longestSeconds: 900)
    }

    private let store: any OperatorStore
    private let clock: any GatewayClock
    private let cost: PasswordHash.Cost
    /// Compared with the passwords of unknown names.
    private let nobody: PasswordHash
    private let csrfKey: [UInt8]
    /// The thread that hashes passwords; addresses take turns.
    private let work = KeyWork<String>(capacity: 32)
    private let waits = Mutex(Waits())

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - directory: The directory, for a key of this instance.
    ///   - clock: The gateway's clock.
    ///   - cost: The parameters for new passwords.
    package init(
        store: any OperatorStore,
        directory: Directory,
        clock: any GatewayClock,
        cost: PasswordHash.Cost = .standard
    ) {
        self.store = store
        self.clock = clock
        self.cost = cost
        nobody = PasswordHash(ofNothing: cost)
        csrfKey = directory.derivedKey(for: "operator csrf")
    }

    // MARK: Accounts

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - password: The password.
    ///   - grants: The roles.
    ///   - address: The caller's address; nil for this host.
    ///   - audit: The audit entry.
    /// - Returns: The account.
    /// - Throws: ``OperatorError``.
    package func create(
        _ name: OperatorName,
        password: String,
        grants: [OperatorGrant],
        address: String?,
        audit: AuditEntry
    ) async throws(OperatorError) -> StoredOperator {
        let account = StoredOperator(
            name: name,
            password: try await hash(password, address),
            grants: grants,
            createdAt: clock.now,
            updatedAt: clock.now
        )
        let isStored: Bool
        do {
            isStored = try await store.insertOperator(account, limit: Self.maxAccounts, audit: audit)
        } catch { throw error == .duplicate ? .duplicate : .storage(error) }
        guard isStored else { throw .tooMany }
        return account
    }

    /// Changes an account's password, which ends its sessions, or its roles; nil leaves them.
    ///
    /// - Parameters:
    ///   - name: The account.
    ///   - password: The new password.
    ///   - grants: The new roles.
    ///   - address: The caller's address; nil for this host.
    ///   - audit: The audit entry.
    /// - Returns: The account.
    /// - Throws: ``OperatorError``.
    package func update(
        _ name: OperatorName,
        password: String?,
        grants: [OperatorGrant]?,
        address: String?,
        audit: AuditEntry
    ) async throws(OperatorError) -> StoredOperator {
        var hashed: String?
        if let password { hashed = try await hash(password, address) }
        let changed: StoredOperator?
        do {
            changed = try await store.updateOperator(
                name,
                password: hashed,
                grants: grants,
                at: clock.now,
                audit: audit
            )
        } catch { throw .storage(error) }
        guard let changed else { throw .notFound }
        return changed
    }

    private func hash(_ password: String, _ address: String?) async throws(OperatorError) -> String {
        let cost = cost
        guard let hash = try await run(address, { PasswordHash(of: password, cost) }) else { throw .unavailable }
        return hash.text
    }

    private func run<Value: Sendable>(
        _ address: String?,
        _ body: @escaping @Sendable () -> Value
    ) async throws(OperatorError) -> Value {
        do { return try await work.run(of: address ?? "", body) } catch { throw .busy }
    }

    // MARK: Signing in

    /// Signs an operator in.
    ///
    /// An unknown name takes as long as a wrong password: both are compared with a hash.
    ///
    /// - Parameters:
    ///   - name: The name as it was sent.
    ///   - password: The password.
    ///   - address: The caller's address; nil for this host, which waits only for the name.
    ///   - audit: Returns the audit entry for an account.
    /// - Returns: The session.
    /// - Throws: ``OperatorError``.
    package func signIn(
        _ name: String,
        password: String,
        address: String?,
        audit: (OperatorName) -> AuditEntry
    ) async throws(OperatorError) -> Opened {
        // A longer one is nobody's.
        let key = BoundedName(name) ?? ""
        try begin(key, address)
        let opened: Opened?
        do throws(OperatorError) {
            opened = try await verified(name, password: password, address, audit)
        } catch {
            // The password was not looked at.
            end(key, address, isRight: false)
            throw error
        }
        guard let opened else { throw .unauthorized }
        end(key, address, isRight: true)
        return opened
    }

    private func begin(_ name: BoundedName, _ address: String?) throws(OperatorError) {
        let now = clock.monotonicNanoseconds
        let wait: Int? = waits.withLock { waits in
            let wait = max(
                waits.names.wait(name, now: now) ?? 0,
                address.flatMap { waits.addresses.wait($0, now: now) } ?? 0
            )
            guard wait == 0 else { return wait }
            waits.names.begin(name, now: now)
            if let address { waits.addresses.begin(address, now: now) }
            return nil
        }
        if let wait { throw .limited(seconds: wait) }
    }

    /// Ends an attempt that was not wrong.
    private func end(_ name: BoundedName, _ address: String?, isRight: Bool) {
        let now = clock.monotonicNanoseconds
        waits.withLock { waits in
            if isRight { waits.names.forget(name) } else { waits.names.undo(name, now: now) }
            // Somebody with an account must not clear what was guessed from the same address.
            if let address { waits.addresses.undo(address, now: now) }
        }
    }

    /// Returns a new session; nil when the name or the password is wrong.
    private func verified(
        _ name: String,
        password: String,
        _ address: String?,
        _ audit: (OperatorName) -> AuditEntry
    ) async throws(OperatorError) -> Opened? {
        var found: StoredOperator?
        if let name = OperatorName(name) {
            do { found = try await store.findOperator(name) } catch { throw .storage(error) }
        }
        let stored = found?.password.flatMap { PasswordHash(text: $0) } ?? nobody
        guard try await run(address, { stored.matches(password) }), let found else { return nil }
        return try await open(found, audit: audit(found.name))
    }

    /// Signs in a person whom the identity provider vouches for; the account is created, or gets the given roles.
    ///
    /// Without a role the account is deleted, which ends the sessions that it has.
    ///
    /// - Parameters:
    ///   - name: The account, one of the provider's.
    ///   - grants: The roles, of existing brands.
    ///   - audit: Returns the audit entry for an action.
    /// - Returns: The session; nil for a person without a role.
    /// - Throws: ``OperatorError``.
    package func signIn(
        _ name: OperatorName,
        grants: [OperatorGrant],
        audit: (AuditAction) -> AuditEntry
    ) async throws(OperatorError) -> Opened? {
        let account: StoredOperator?
        do {
            guard !grants.isEmpty else {
                _ = try await store.deleteOperator(name, audit: audit(.operatorDeleted))
                return nil
            }
            account = try await vouched(name, grants, audit)
        } catch { throw error == .duplicate ? .duplicate : .storage(error) }
        guard let account else { throw .tooMany }
        // Otherwise it was deleted meanwhile.
        guard let opened = try await open(account, audit: audit(.operatorSignedIn)) else { throw .unauthorized }
        return opened
    }

    /// Returns the account with the given roles; nil when the instance has too many accounts.
    private func vouched(
        _ name: OperatorName,
        _ grants: [OperatorGrant],
        _ audit: (AuditAction) -> AuditEntry
    ) async throws(StorageError) -> StoredOperator? {
        let account = StoredOperator(
            name: name,
            password: nil,
            grants: grants,
            createdAt: clock.now,
            updatedAt: clock.now
        )
        guard let found = try await store.findOperator(name) else {
            let entry = audit(.operatorCreated)
            return try await store.insertOperator(account, limit: Self.maxAccounts, audit: entry) ? account : nil
        }
        guard found.grants != grants else { return found }
        var entry = audit(.operatorChanged)
        entry.changes = ["roles"]
        _ = try await store.updateOperator(
            name,
            password: nil,
            grants: grants,
            at: account.updatedAt,
            audit: entry
        )
        return account
    }

    /// Opens a session of an account; nil when that was changed meanwhile.
    private func open(_ found: StoredOperator, audit: AuditEntry) async throws(OperatorError) -> Opened? {
        let (token, hash) = RandomToken.operatorSession.make()
        let session = StoredOperatorSession(
            tokenHash: hash,
            name: found.name,
            openedAt: clock.now,
            usedAt: clock.now
        )
        let isOpened: Bool
        do {
            isOpened = try await store.openOperatorSession(
                session,
                password: found.password,
                keeping: Self.maxSessions,
                openedAfter: clock.now.adding(seconds: -Self.lifetimeSeconds),
                audit: audit
            )
        } catch { throw .storage(error) }
        return isOpened ? Opened(token: token, identity: Self.identity(session, found)) : nil
    }

    // MARK: Sessions

    /// Returns the operator of a session.
    ///
    /// - Parameter token: The token, as it was sent.
    /// - Returns: Nil when there is no such session, or it has ended.
    /// - Throws: `StorageError`.
    package func identity(token: String) async throws(StorageError) -> OperatorIdentity? {
        guard let hash = RandomToken.operatorSession.hash(of: token) else { return nil }
        return try await identity(tokenHash: hash)
    }

    /// Returns the operator of a session.
    ///
    /// - Parameters:
    ///   - tokenHash: The SHA-256 of the token.
    ///   - isUse: Whether it counts as a use, without which the session ends.
    /// - Returns: Nil when the session has ended.
    /// - Throws: `StorageError`.
    package func identity(tokenHash: [UInt8], isUse: Bool = true) async throws(StorageError) -> OperatorIdentity? {
        let now = clock.now
        guard let (session, account) = try await store.operatorSession(tokenHash: tokenHash) else { return nil }
        let identity = Self.identity(session, account)
        guard now < identity.expiresAt, now < session.usedAt.adding(seconds: Self.idleSeconds) else { return nil }
        if isUse, session.usedAt.adding(milliseconds: Self.useMilliseconds) <= now {
            // Without it the session ends earlier, when the store accepts nothing for an hour.
            try? await store.useOperatorSession(tokenHash: tokenHash, at: now)
        }
        return identity
    }

    private static func identity(_ session: StoredOperatorSession, _ account: StoredOperator) -> OperatorIdentity {
        OperatorIdentity(
            name: account.name,
            grants: account.grants,
            tokenHash: session.tokenHash,
            expiresAt: session.openedAt.adding(seconds: lifetimeSeconds)
        )
    }

    /// Returns the token that a page sends with a session's changes, so that no other page can make them.
    package func csrfToken(of token: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: token.utf8, using: csrfKey)
        return StrictBase64.encode(code, .url)
    }

    /// Returns whether a text is ``csrfToken(of:)``, in constant time.
    package func isCSRFToken(_ text: String, of token: String) -> Bool {
        text.utf8.isEqualInConstantTime(to: csrfToken(of: token).utf8)
    }
}
