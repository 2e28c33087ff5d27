import Foundation
import Logging

extension SwitchboardClient {
    /// Begins a session; call it at every login and at every start of the app.
    ///
    /// If it fails, the library logs out and tries once more; if that fails too, every call fails with `disabled` until
    /// the process starts again. A missing parameter or provider changes nothing. With an active session of the same
    /// consumer the call has no effect; another consumer's session is ended first.
    ///
    /// - Parameter authentication: The authentication method.
    /// - Returns: The result.
    /// - Throws: `parameterMissing`, `providerMissing`, `storage` or `disabled`.
    @discardableResult
    public func initialize(_ authentication: Authentication) async throws(SwitchboardError) -> Initialization {
        try await lifecycle.enter()
        defer { lifecycle.leave() }
        try configuration.check()
        if case .copilot(let userID) = authentication.method, userID.isEmpty {
            throw SwitchboardError(.parameterMissing, "userID is empty", reason: "userID")
        }
        if session.phase == .active {
            if let subject = authentication.subject, let known = user?.userID, !subject.utf8.elementsEqual(known.utf8) {
                try await finishLogout(.all, cause: .consumerChanged, isForced: true, keepsObservers: true)
                emit(.consumerChanged)
            } else if isReplaceable(by: authentication) {
                adopt(authentication)
                save()
                return Initialization(wasActive: true, wasUpgraded: false)
            }
        }
        if let bloomreach = configuration.bloomreach, session.phase != .active {
            // An error of the app's set-up, like a missing parameter: it must not log the consumer out.
            inboxAuthorization = try InboxAuthorization(bloomreach, profile: configuration.profile, logger: logger)
        }
        var wasUpgraded = false
        var action = session.initialize()
        while true {
            switch action {
            case .open:
                do {
                    wasUpgraded = try await open(authentication) || wasUpgraded
                    action = session.opened()
                } catch {
                    logger.error("initialisation failed", metadata: ["error.code": "\(error.code)"])
                    action = session.openFailed(error)
                }
            case .reset:
                await reset()
                action = session.resetEnded()
            case .initialized:
                sendReports()
                sendEvents()
                return Initialization(wasActive: false, wasUpgraded: wasUpgraded)
            case .fail(let error): throw error
            case .ignored, .end, .emit, .removeObservers:
                return Initialization(wasActive: true, wasUpgraded: false)
            }
        }
    }

    /// Whether a session has no identity yet that another one could be confused with, or needs a fresh credential.
    private func isReplaceable(by next: Authentication) -> Bool {
        if case .none = next.method { return false }
        if session.authentication == .expired || session.authentication == .failed { return true }
        return switch (authentication.method, next.method) {
        case (.anonymous, .anonymous): false
        case (.none, _), (.anonymous, _): true
        default: false
        }
    }

    /// Opens the stored state for a consumer; returns whether data of another version was wiped.
    private func open(_ authentication: Authentication) async throws(SwitchboardError) -> Bool {
        var wasUpgraded = false
        let data: Data?
        do {
            data = try storage.load()
        } catch {
            throw Self.storageError(error)
        }
        if let data {
            guard let head = try? JSONDecoder().decode(StoredRecord.Head.self, from: data) else {
                throw SwitchboardError(.storage, "the record cannot be read")
            }
            if head.schema != StoredRecord.currentSchema || head.libraryVersion != StoredRecord.libraryVersion {
                // The login continues in the new form: the registration at the gateway stays.
                if let session = head.user?.session { await endSession(session.token, .none) }
                try wipe(receives: .all)
                wasUpgraded = head.user != nil
            } else {
                guard let stored = try? JSONDecoder().decode(StoredRecord.self, from: data) else {
                    throw SwitchboardError(.storage, "the record cannot be read")
                }
                record = stored
            }
        }
        if record == nil { record = StoredRecord() }
        if let known = user?.userID, let subject = authentication.subject, !known.utf8.elementsEqual(subject.utf8) {
            if let token = user?.session?.token { await endSession(token, .all) }
            try wipe(receives: [])
            await clearScreen()
        }
        if user == nil {
            record?.receives = .all
            user = StoredUser()
        }
        unread = UnreadState(count: user?.unread)
        adopt(authentication)
        try saveOrThrow()
        return wasUpgraded
    }

    /// Makes a method the one of the session; continues with a stored token of the same method and credential.
    func adopt(_ next: Authentication) {
        defer { renewWindow() }
        authentication = next
        isCodeSpent = false
        perform(tokens.clear(SwitchboardError(.sessionEnded, "another credential replaced the one of the call")))
        tokens.policy = policy(of: next)
        session.credentialReplaced()
        if let subject = next.subject { user?.userID = subject }
        guard tokens.policy.keeping == .stored, let stored = user?.session,
            stored.fingerprint.utf8.elementsEqual(fingerprint(of: next).utf8)
        else { return }
        if case .parameters(let parameters) = next.method, case .code = parameters.credential { isCodeSpent = true }
        let now = clock.now
        if let expiresAt = stored.expiresAt {
            guard expiresAt > now else { return }
            // A duration has a limit that the time in a damaged record can be beyond.
            let rest = Duration.seconds(min(expiresAt.timeIntervalSince(now), 1e9))
            tokens.restore(TokenMachine.Held(token: stored.token, expiresAt: clock.uptime + rest))
        } else {
            tokens.restore(TokenMachine.Held(token: stored.token, expiresAt: nil))
        }
    }

    private func policy(of authentication: Authentication) -> TokenPolicy {
        switch authentication.method {
        case .copilot: .copilot
        case .signedPayload: .signedPayload
        case .delegate: .delegate(timeout: .seconds(configuration.authorizationTimeoutSeconds))
        case .none, .anonymous, .parameters: .assertion
        }
    }

    /// Returns a hash of a method with its credential: a stored session continues only for the same one.
    func fingerprint(of authentication: Authentication) -> String {
        let text: String
        switch authentication.method {
        case .none: text = "none"
        case .anonymous: text = "anonymous"
        case .delegate: text = "delegate"
        case .copilot(let userID): text = "copilot " + userID
        case .signedPayload(let name, let payload):
            text = "signed " + name + " " + String(decoding: JSONValue.object(payload).data, as: UTF8.self)
        case .parameters(let parameters):
            switch parameters.credential {
            case .assertion(let token): text = "assertion " + token
            case .code(let code): text = "code " + code.code
            }
        }
        return Base64URL.encode(SHA256Hash.hash(Array(text.utf8)))
    }

    /// Gives a fresh credential, after `tokenExpired` or a rejected one, or for a session that has none yet.
    ///
    /// - Parameter parameters: The credential.
    /// - Throws: The error of the login.
    public func reconnect(_ parameters: AuthenticationParameters) async throws(SwitchboardError) {
        _ = try session.admit()
        adopt(.parameters(parameters))
        try await typed { _ = try await token() }
    }

    /// Returns the PKCE parameters of an account: the same until a code is redeemed with them, also after a restart.
    ///
    /// - Parameter accountID: The account, usually the brand.
    /// - Returns: The parameters.
    /// - Throws: `storage` if they cannot be kept, `tooManyCalls` if those of 8 accounts wait for their code,
    ///   `notInitialized`, `disabled`.
    public func getPkceParams(accountID: String) throws(SwitchboardError) -> PkceParameters {
        _ = try session.admit()
        if let known = user?.pkce[accountID] { return known }
        guard let count = user?.pkce.count, count < StoredUser.maxPkce else {
            throw SwitchboardError(.tooManyCalls, "parameters of too many accounts wait for their code")
        }
        let parameters = PkceParameters.random()
        user?.pkce[accountID] = parameters
        do {
            try saveOrThrow()
        } catch {
            user?.pkce[accountID] = nil
            throw error
        }
        return parameters
    }

    /// Whether the gateway has accepted the consumer and the session is usable.
    public var isReady: Bool { session.isReady }

    /// The id of this device for the consumer; nil without a session.
    public var deviceID: String? { session.phase == .active ? user?.deviceID : nil }

    /// Returns the user whom the session is bound to, as the app named it; also before ``initialize(_:)``, after a restart.
    public func boundUserID() -> String? {
        loadIfNeeded()
        return user?.userID
    }

    /// The consumer as the gateway names it; nil before the first authenticated call.
    public var consumerID: String? { user?.consumerID }
}
