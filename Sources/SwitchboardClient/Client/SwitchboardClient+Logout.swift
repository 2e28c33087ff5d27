import Foundation
import Logging

extension SwitchboardClient {
    /// Logs the consumer out: unregisters pushes, ends the session, deletes everything about the consumer.
    ///
    /// The order is fixed: without the gateway nothing is deleted, and the error is reported after the repetitions. With
    /// `isForced` the device is wiped in any case, after one attempt. Works without ``initialize(_:)``, and succeeds if
    /// nobody is logged in.
    ///
    /// - Parameters:
    ///   - scope: The registrations that end.
    ///   - cause: The cause, for the log.
    ///   - isForced: Whether the wipe does not depend on the gateway.
    /// - Throws: The error of the step that failed.
    public func logout(
        _ scope: UnregisterScope = .all,
        cause: LogoutCause = .explicit,
        isForced: Bool = false
    ) async throws(SwitchboardError) {
        try await lifecycle.enter()
        defer { lifecycle.leave() }
        try await finishLogout(scope, cause: cause, isForced: isForced)
    }

    /// Runs the steps of a logout; the caller has the turn.
    ///
    /// - Parameters:
    ///   - scope: The registrations that end.
    ///   - cause: The cause, for the log.
    ///   - isForced: Whether the wipe does not depend on the gateway.
    ///   - keepsObservers: Whether another session follows at once, whose events the observers wait for.
    /// - Throws: The error of the step that failed.
    func finishLogout(
        _ scope: UnregisterScope,
        cause: LogoutCause,
        isForced: Bool,
        keepsObservers: Bool = false
    ) async throws(SwitchboardError) {
        let wasActive = session.phase == .active
        if case .fail(let error) = session.logout() { throw error }
        logger.debug("logout", metadata: ["cause": "\(cause.rawValue)", "scope": "\(scope.rawValue)"])
        // What runs in the background would use the session that ends.
        cancelBackgroundTasks()
        endWindow()
        var machine = LogoutMachine(isForced: isForced, policy: configuration.retry.logout)
        var step: LogoutMachine.Step
        do {
            // What cannot be read now may be a session that must be ended.
            if record == nil { _ = try storage.load() }
            loadIfNeeded()
            step = machine.first(hasSession: hasSession)
        } catch {
            step = isForced ? .wipe : .finish(Self.storageError(error))
        }
        while true {
            switch step {
            case .unregister: step = machine.unregistered(await unregister(scope))
            case .wait(let delay):
                do {
                    try await clock.sleep(for: delay)
                    step = .unregister
                } catch {
                    step = .finish(SwitchboardError(wrapping: error))
                }
            case .wipe:
                do {
                    try wipe(receives: kinds(after: scope))
                    await clearScreen()
                    step = machine.wiped(nil)
                } catch {
                    step = machine.wiped(error)
                }
            case .finish(let error):
                // After a wipe that failed nothing is in memory either: the session has ended, the storage is left.
                let hasEnded = wasActive && user == nil
                let actions = session.logoutEnded(hasEnded ? nil : error, wasActive: wasActive)
                execute(actions.filter { $0 != .removeObservers || !keepsObservers })
                if let error { throw error }
                return
            }
        }
    }

    private func kinds(after scope: UnregisterScope) -> PushKinds {
        switch scope {
        case .all: []
        case .agent: record?.receives.intersection(.proactive) ?? .proactive
        case .none: record?.receives ?? .all
        }
    }

    /// Whether the gateway may know a session or a registration of the consumer.
    private var hasSession: Bool {
        hasLogin || user?.tokenTracking.tracked != nil || pendingEventCount > 0
    }

    private var hasLogin: Bool {
        tokens.held != nil || user?.session != nil || user?.registration.confirmed != nil
    }

    /// Ends the push token at Bloomreach's tracking, and the session at the gateway; returns the error.
    private func unregister(_ scope: UnregisterScope) async -> SwitchboardError? {
        _ = await sendWaitingEvents(session.epoch)
        if scope == .all, let error = await invalidateTrackedToken() { return error }
        guard hasLogin else { return nil }
        let token: String
        do {
            // Before an initialisation there is only the stored token.
            if let held = tokens.held?.token ?? (tokens.isBlocked ? nil : user?.session?.token) {
                token = held
            } else {
                token = try await self.token()
            }
        } catch {
            let error = SwitchboardError(wrapping: error)
            // A login that was rejected is no session that has ended: nothing was unregistered.
            guard error.code == .authenticationFailed else { return error }
            return SwitchboardError(.unauthorized, error.message, reason: error.reason)
        }
        do {
            _ = try await send(routes.endSession(scope).authorized(by: token))
            return nil
        } catch {
            if error.code == .tokenExpired || error.code == .authenticationFailed {
                tokens.rejected(token)
                user?.session = nil
            }
            return error
        }
    }

    /// Ends a session by one attempt, whatever the result.
    func endSession(_ token: String, _ scope: UnregisterScope) async {
        do {
            _ = try await send(routes.endSession(scope).authorized(by: token))
        } catch {
            logger.info("session not ended at the gateway", metadata: ["error.code": "\(error.code)"])
        }
    }

    /// Resets the device between the two attempts of an initialisation (R42).
    func reset() async {
        loadIfNeeded()
        do {
            _ = try storage.load()
        } catch {
            // As before the first unlock of a device: the record is whole, and must not be deleted for that.
            logger.error("record not readable now; it is kept", metadata: ["error.code": "storage"])
            forgetUser()
            record = nil
            return
        }
        if let token = tokens.held?.token ?? user?.session?.token { await endSession(token, .all) }
        do {
            try wipe(receives: [])
        } catch {
            logger.error("record not deleted", metadata: ["error.code": "\(error.code)"])
        }
        await clearScreen()
    }

    /// Ends the session that the gateway has ended already.
    func sessionLost(_ cause: LogoutCause) async {
        let actions = session.lost(cause)
        guard !actions.isEmpty else { return }
        do {
            try wipe(receives: [])
        } catch {
            emit(.error(.storage, error))
        }
        execute(actions)
        await clearScreen()
    }

    /// Removes what the consumer's pushes left on the screen.
    func clearScreen() async {
        guard let presenter else { return }
        await presenter.withdraw(.all)
        await presenter.setBadge(0)
    }

    /// Continues as a new anonymous consumer, as in Bloomreach: the old one is logged out, and the push token moves.
    ///
    /// - Throws: The error of the logout, or of the initialisation.
    public func anonymize() async throws(SwitchboardError) {
        _ = try session.admit()
        let registration = user?.registration.desired
        let next: Authentication = if case .none = authentication.method { .none } else { .anonymous }
        try await lifecycle.enter()
        do {
            defer { lifecycle.leave() }
            try await finishLogout(.all, cause: .consumerChanged, isForced: false, keepsObservers: true)
        }
        emit(.consumerChanged)
        try await initialize(next)
        guard let registration else { return }
        try await registerPush(registration.token, receives: registration.receives)
    }
}
