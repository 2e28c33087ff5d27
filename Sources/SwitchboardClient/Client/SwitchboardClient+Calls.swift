import Foundation

extension SwitchboardClient {
    /// Sends a request once; no response is a connectivity error.
    func send(_ request: HTTPRequest) async throws(SwitchboardError) -> JSONValue {
        // A logout needs no initialisation, which checks the address that a token may be sent to.
        try configuration.check()
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch let error as SwitchboardError {
            throw error
        } catch is CancellationError {
            throw SwitchboardError(.cancelled, "the task was cancelled")
        } catch {
            // A URL session has an error of its own for it.
            if Task.isCancelled { throw SwitchboardError(.cancelled, "the task was cancelled") }
            throw SwitchboardError(.connectivity, "no response: \(type(of: error))")
        }
        return try response.value()
    }

    /// Throws if the session of a call has ended, or another consumer has it.
    func check(_ epoch: Int) throws(SwitchboardError) {
        guard session.isCurrent(epoch) else {
            throw SwitchboardError(.sessionEnded, "the session ended while the call ran")
        }
    }

    /// Makes a call with the session's token: repeats it by policy, and with a fresh token once.
    ///
    /// - Parameters:
    ///   - policy: The repetitions.
    ///   - request: The request, for the user of each attempt.
    ///   - read: Reads the response.
    /// - Returns: The value of `read`.
    /// - Throws: The one error of the call.
    func call<Value>(
        _ policy: RetryPolicy,
        _ request: (StoredUser) -> HTTPRequest,
        read: (JSONValue) throws(SwitchboardError) -> Value
    ) async throws(SwitchboardError) -> Value {
        let epoch = try session.admit()
        var schedule = RetrySchedule(policy)
        var mayRenew = true
        while true {
            var failure: SwitchboardError
            var used: String?
            do {
                let token = try await token()
                try check(epoch)
                guard let user else { throw SwitchboardError(.sessionEnded, "the session ended while the call ran") }
                used = token
                let value = try await send(request(user).authorized(by: token))
                try check(epoch)
                accepted(token)
                return try read(value)
            } catch {
                failure = SwitchboardError(wrapping: error)
            }
            try check(epoch)
            if failure.code == .sessionEnded, mayRenew {
                // The session is still this one: the app replaced the credential that the call waited for.
                mayRenew = false
                continue
            }
            if let used, failure.code == .tokenExpired || failure.code == .authenticationFailed {
                guard await rejected(used, failure, mayRenew: mayRenew) else {
                    try check(epoch)
                    throw failure
                }
                mayRenew = false
                continue
            }
            switch schedule.failed(failure) {
            case .fail: throw failure
            case .wait(let delay):
                try await typed { try await clock.sleep(for: delay) }
                try check(epoch)
            }
        }
    }

    /// Notes that the gateway took a token: after a restart no login shows it.
    func accepted(_ token: String) {
        guard let held = tokens.held, held.token.utf8.elementsEqual(token.utf8) else { return }
        execute(session.authenticated())
    }

    /// Handles a token that the gateway rejected; returns whether the call may be repeated with another.
    func rejected(_ token: String, _ error: SwitchboardError, mayRenew: Bool) async -> Bool {
        let isStale = tokens.held.map { !$0.token.utf8.elementsEqual(token.utf8) } ?? true
        // Another call has replaced the token, or a request for one runs.
        if isStale { return mayRenew && !tokens.isBlocked }
        if error.code == .authenticationFailed, error.reason == "revoked" {
            await sessionLost(.remote)
            return false
        }
        tokens.rejected(token)
        user?.session = nil
        save()
        if error.code == .tokenExpired {
            if mayRenew, !isCodeSpent { return true }
            if isCodeSpent { tokens.block(error) }
        }
        execute(session.rejected(error, profile: configuration.profile))
        return false
    }

    /// Whether there is a credential, or a way to obtain one without the app's user.
    var canAuthenticate: Bool {
        if tokens.isBlocked { return false }
        switch authentication.method {
        case .none: return false
        case .parameters: return !isCodeSpent || tokens.held != nil
        case .anonymous, .copilot, .signedPayload, .delegate: return true
        }
    }

    /// Uses the authentication parameters of a single call, unless the session's credential is the same consumer's.
    func adoptIfNeeded(_ parameters: AuthenticationParameters?) throws(SwitchboardError) {
        guard let parameters else { return }
        _ = try session.admit()
        if tokens.held != nil || tokens.attempt != nil {
            guard let subject = parameters.subject, let known = user?.userID ?? user?.consumerID,
                !subject.utf8.elementsEqual(known.utf8)
            else { return }
        }
        adopt(.parameters(parameters))
    }
}
