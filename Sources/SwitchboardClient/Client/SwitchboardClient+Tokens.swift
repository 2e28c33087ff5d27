import Foundation
import Logging

extension SwitchboardClient {
    /// Returns the session token; the first call without one asks the source, all others wait for it.
    func token() async throws -> String {
        let waiter = nextNumber()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiters[waiter] = continuation
                perform(tokens.need(waiter, at: clock.uptime))
            }
        } onCancel: {
            Task { await self.cancelWaiter(waiter) }
        }
    }

    private func cancelWaiter(_ waiter: Int) {
        tokens.cancelled(waiter)
        waiters.removeValue(forKey: waiter)?.resume(throwing: CancellationError())
    }

    /// Executes a step of the token machine.
    func perform(_ action: TokenMachine.Action) {
        switch action {
        case .none, .wait: break
        case .resume(let numbers, let token):
            for number in numbers { waiters.removeValue(forKey: number)?.resume(returning: token) }
        case .fail(let numbers, let error):
            for number in numbers { waiters.removeValue(forKey: number)?.resume(throwing: error) }
        case .ask(let attempt):
            // The task belongs to the client, not to the first caller, who may be cancelled.
            askTask = Task { await ask(attempt) }
        }
    }

    /// Asks the source of the session once.
    private func ask(_ attempt: Int) async {
        // Another credential may have come before this task began: its code is not for this attempt.
        guard tokens.attempt == attempt else { return }
        do {
            guard let grant = try await grant(attempt) else { return }
            guard tokens.attempt == attempt else { return }
            let isOther = isOther(grant)
            if isOther { changeConsumer() }
            accept(grant)
            perform(tokens.obtained(grant.token, lifetime: grant.lifetime, attempt: attempt, at: clock.uptime))
            loggedIn()
            if isOther { await clearScreen() }
        } catch {
            let error = SwitchboardError(wrapping: error)
            guard tokens.attempt == attempt else { return }
            let isFinal = isFinal(error)
            if error.code == .tokenExpired || error.code == .authenticationFailed {
                execute(session.rejected(error, profile: configuration.profile))
            }
            perform(tokens.failed(error, attempt: attempt, isFinal: isFinal))
        }
    }

    /// Whether the credential of the app will not be accepted, so that only a fresh one helps.
    private func isFinal(_ error: SwitchboardError) -> Bool {
        guard case .parameters = authentication.method else { return false }
        return isCodeSpent || error.code == .tokenExpired || error.code == .authenticationFailed
    }

    /// A token of the source, with what the gateway said about it.
    private struct Grant {
        var token: String
        var lifetime: Duration?
        var consumerID: String?
        var isAnonymous = false
        var isMerged = false
    }

    /// Obtains a token; nil if the app will give it later.
    private func grant(_ attempt: Int) async throws -> Grant? {
        let policy = tokens.policy
        let late = SwitchboardError(policy.timeoutCode, "the token provider did not respond in time")
        switch authentication.method {
        case .none: throw SwitchboardError(.unauthorized, "nobody is logged in")
        case .anonymous: return try await opened(routes.openAnonymousSession(loginDevice))
        case .copilot(let userID):
            guard let provider = copilotProvider else {
                throw SwitchboardError(.unauthorized, "there is no token provider")
            }
            do {
                let key = try await bounded(policy.timeout, clock: clock, error: late) {
                    try await provider.generateUserAuthKey(for: userID)
                }
                guard !key.isEmpty else { throw SwitchboardError(.general, "the token provider gave an empty key") }
                return Grant(token: key, consumerID: userID)
            } catch let error as CopilotTokenError {
                throw error.error
            }
        case .signedPayload(let name, let payload):
            guard let signer = payloadSigner else {
                throw SwitchboardError(.unauthorized, "there is no payload signer")
            }
            let signed = try await bounded(policy.timeout, clock: clock, error: late) {
                do {
                    return try await signer.signed(payload, type: .authToken)
                } catch let error as SwitchboardError {
                    throw error
                } catch {
                    throw SwitchboardError(.general, "the signing service failed", reason: "\(error)")
                }
            }
            return try await exchanged(routes.exchange(signed, sdkKeyName: name, loginDevice))
        case .parameters(let parameters): return try await grant(parameters)
        case .delegate:
            guard let delegate = authorizationDelegate else {
                throw SwitchboardError(.unauthorized, "there is no authorization delegate")
            }
            authorizationTimer = Task {
                do {
                    try await clock.sleep(for: policy.timeout)
                } catch {
                    return
                }
                perform(tokens.failed(late, attempt: attempt))
            }
            _ = try await offActor { delegate.shouldAuthorize() }
            return nil
        }
    }

    private func grant(_ parameters: AuthenticationParameters) async throws -> Grant {
        let issuer = parameters.issuerDisplayName
        switch parameters.credential {
        case .assertion(let token):
            return try await opened(routes.openSession(assertion: token, issuer: issuer, loginDevice))
        case .code(let code):
            guard !isCodeSpent else {
                throw SwitchboardError(.tokenExpired, "the code was used; a fresh one is needed")
            }
            let known = user?.pkce ?? [:]
            // Of several accounts none is guessed: a wrong verifier would use up the code.
            let only = known.count == 1 ? known.first : nil
            let pkce = known.first { $0.value.codeVerifier == parameters.codeVerifier } ?? only
            let verifier = parameters.codeVerifier ?? pkce?.value.codeVerifier
            isCodeSpent = true
            // The verifier goes with its code, whatever the response is.
            if let pkce, pkce.value.codeVerifier == verifier { user?.pkce[pkce.key] = nil }
            do {
                return try await opened(
                    routes.openSession(code: code, verifier: verifier, issuer: issuer, loginDevice)
                )
            } catch let error as SwitchboardError {
                guard error.isRetryable else { throw error }
                // Without a response the code may be used up (trap 12): only a fresh one is safe.
                throw SwitchboardError(.tokenExpired, "no response to the code; a fresh one is needed")
            }
        }
    }

    private var loginDevice: LoginDevice {
        let isIdentified =
            switch authentication.method {
            case .anonymous, .none: false
            default: true
            }
        return LoginDevice(
            deviceID: user?.deviceID ?? "",
            currentToken: user?.registration.desired?.token.token,
            anonymousToken: isIdentified && user?.isAnonymous == true ? user?.session?.token : nil
        )
    }

    private func opened(_ request: HTTPRequest) async throws -> Grant {
        let value = try await send(request)
        return Grant(
            token: try value.required("sessionToken", \.text),
            lifetime: .seconds(try value.required("expiresIn", \.integerValue)),
            consumerID: try value.required("consumer") { $0["id"]?.text },
            isAnonymous: value["consumer"]?["anonymous"]?.flag ?? false,
            isMerged: value["merged"]?.flag ?? false
        )
    }

    private func exchanged(_ request: HTTPRequest) async throws -> Grant {
        let value = try await send(request)
        return Grant(
            token: try value.required("auth_token", \.text),
            lifetime: .seconds(try value.required("expires_in", \.integerValue)),
            consumerID: try value.required("end_user") { $0["id"]?.text },
            isAnonymous: value["end_user"]?["anonymous"]?.flag ?? false,
            isMerged: value["merged"]?.flag ?? false
        )
    }

    /// Whether a token is another consumer's than the one before, who was not merged either.
    private func isOther(_ grant: Grant) -> Bool {
        guard let known = user?.consumerID, let consumer = grant.consumerID, !known.utf8.elementsEqual(consumer.utf8)
        else { return false }
        return !(user?.isAnonymous == true && grant.isMerged)
    }

    /// Stores a token with its consumer.
    private func accept(_ grant: Grant) {
        if let consumer = grant.consumerID { user?.consumerID = consumer }
        user?.isAnonymous = grant.isAnonymous
        user?.session =
            tokens.policy.keeping != .stored
            ? nil
            : StoredUser.Session(
                token: grant.token,
                expiresAt: grant.lifetime.map { clock.now.addingTimeInterval(TimeInterval($0.components.seconds)) },
                fingerprint: fingerprint(of: authentication)
            )
        save()
    }

    /// Deletes everything of the consumer before; the device's push token is registered for the new one.
    private func changeConsumer() {
        endWindow()
        logger.notice("another consumer logged in; data of the one before is deleted")
        var registration = user?.registration ?? RegistrationState()
        registration.consumerChanged()
        var next = StoredUser()
        // The gateway bound the new session to this id.
        next.deviceID = user?.deviceID ?? next.deviceID
        next.userID = authentication.subject
        next.registration = registration
        user = next
        unread = UnreadState()
        taps = TapState()
        engagement = EngagementState()
        inbox = InboxState()
        cancelBackgroundTasks()
        session.consumerChanged()
        emit(.consumerChanged)
    }

    /// Reports the login, and sends what waited for it.
    private func loggedIn() {
        execute(session.authenticated())
        continueWindow()
        sendReports()
        guard session.phase == .active, case .send(let registration)? = user?.registration.loggedIn() else { return }
        save()
        let epoch = session.epoch
        registrationTask = Task { _ = try? await sendRegistration(registration, epoch: epoch) }
    }

    /// Gives the authorization of an interaction, as in Talkdesk; also before it is asked for.
    ///
    /// A token that comes after the timeout does not revive the interaction, but serves the next one.
    ///
    /// - Parameter authorization: The token, or the denial.
    public func authorize(with authorization: InteractionAuthorization) {
        guard case .delegate = authentication.method else { return }
        authorizationTimer?.cancel()
        authorizationTimer = nil
        switch authorization {
        case .accessToken(let token) where !token.isEmpty:
            perform(tokens.obtained(token, lifetime: nil, attempt: nil, at: clock.uptime))
            loggedIn()
        case .accessToken:
            perform(tokens.failed(SwitchboardError(.notAuthorized, "the access token is empty"), attempt: nil))
        case .notAuthorized(let reason):
            let error = SwitchboardError(.notAuthorized, "the interaction is denied", reason: reason)
            perform(tokens.failed(error, attempt: nil))
        }
    }

    /// Waits until the interaction is authorized, asking the delegate if needed.
    ///
    /// - Throws: `notAuthorized`, `authorizationTimeout`, `unauthorized` without a delegate.
    public func startInteraction() async throws(SwitchboardError) {
        _ = try session.admit()
        try await typed { _ = try await token() }
    }
}
