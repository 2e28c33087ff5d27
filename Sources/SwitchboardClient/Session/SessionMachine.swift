/// The life of the session on this device; a pure value without clock and IO.
///
/// The client calls it for every step and executes what it returns. The sequence is: uninitialised, initialising (once
/// more after a reset if it fails, R42), active, ending, uninitialised again. `disabled` is final.
struct SessionMachine: Sendable, Equatable {
    /// The phase of the life.
    enum Phase: Sendable, Equatable {
        /// Nothing was initialised, or the consumer has logged out.
        case uninitialized
        /// The attempt 1 or 2 of an initialisation runs.
        case initializing(attempt: Int)
        /// The reset between the two attempts runs.
        case resetting
        /// Calls are accepted.
        case active
        /// A logout runs.
        case ending
        /// Initialisation failed twice.
        case disabled
    }

    /// The state of the authentication within an active session.
    enum Authentication: Sendable, Equatable {
        /// No session of the gateway has been opened yet.
        case none
        /// The gateway accepted the consumer.
        case authenticated
        /// The credential has expired and only the app can give another.
        case expired
        /// The credential was rejected for good.
        case failed
    }

    /// The effects that the client executes, in order.
    enum Action: Sendable, Equatable {
        /// Open the stored state.
        case open
        /// End the session by one forced attempt and wipe.
        case reset
        /// Unregister, then wipe.
        case end
        /// Report to the app.
        case emit(ClientEvent)
        /// Remove the observers that were registered since login.
        case removeObservers
        /// The initialisation has succeeded.
        case initialized
        /// The call has nothing to do.
        case ignored
        /// The initialisation, or the logout, has failed.
        case fail(SwitchboardError)
    }

    private(set) var phase = Phase.uninitialized
    private(set) var authentication = Authentication.none
    /// The number of the user on this device: a result that began in an earlier epoch is discarded.
    private(set) var epoch = 0
    /// Whether the app was last notified of a ready connection.
    private(set) var isReady = false

    /// Returns the epoch for a call that needs an active session.
    ///
    /// - Throws: `disabled` or `notInitialized`.
    func admit() throws(SwitchboardError) -> Int {
        switch phase {
        case .active: return epoch
        case .disabled: throw SwitchboardError(.disabled, "initialisation failed twice in this process")
        case .uninitialized, .initializing, .resetting, .ending:
            throw SwitchboardError(.notInitialized, "there is no active session")
        }
    }

    /// Whether results of a call of an epoch still count.
    func isCurrent(_ epoch: Int) -> Bool { epoch == self.epoch && phase == .active }

    /// The app initialises.
    mutating func initialize() -> Action {
        switch phase {
        case .uninitialized:
            phase = .initializing(attempt: 1)
            return .open
        case .active: return .ignored
        case .disabled: return .fail(SwitchboardError(.disabled, "initialisation failed twice in this process"))
        case .initializing, .resetting, .ending:
            // The client does one of these after the other.
            return .fail(SwitchboardError(.general, "the session changes already"))
        }
    }

    /// The stored state is open.
    mutating func opened() -> Action {
        guard case .initializing = phase else { return .ignored }
        phase = .active
        authentication = .none
        return .initialized
    }

    /// The stored state cannot be opened.
    mutating func openFailed(_ error: SwitchboardError) -> Action {
        switch phase {
        case .initializing(attempt: 1):
            phase = .resetting
            epoch += 1
            return .reset
        case .initializing:
            phase = .disabled
            epoch += 1
            return .fail(error)
        default: return .ignored
        }
    }

    /// The reset has ended, with whatever result.
    mutating func resetEnded() -> Action {
        guard phase == .resetting else { return .ignored }
        phase = .initializing(attempt: 2)
        return .open
    }

    /// A logout begins; also without a session, where only the wipe remains.
    mutating func logout() -> Action {
        switch phase {
        case .active, .uninitialized:
            phase = .ending
            return .end
        case .disabled: return .fail(SwitchboardError(.disabled, "initialisation failed twice in this process"))
        case .initializing, .resetting, .ending:
            return .fail(SwitchboardError(.general, "the session changes already"))
        }
    }

    /// A logout has ended.
    ///
    /// - Parameters:
    ///   - error: The error of a step; nil if every step succeeded.
    ///   - wasActive: Whether there was a session before.
    /// - Returns: The effects.
    mutating func logoutEnded(_ error: SwitchboardError?, wasActive: Bool) -> [Action] {
        guard phase == .ending else { return [] }
        if let error {
            phase = wasActive ? .active : .uninitialized
            return [.fail(error)]
        }
        phase = .uninitialized
        authentication = .none
        epoch += 1
        defer { isReady = false }
        return (isReady ? [.emit(.connectionChanged(isReady: false))] : []) + [.removeObservers]
    }

    /// The gateway ended the session, or another consumer has appeared: the first one's results no longer count.
    mutating func lost(_ cause: LogoutCause) -> [Action] {
        guard phase == .active else { return [] }
        phase = .uninitialized
        authentication = .none
        epoch += 1
        defer { isReady = false }
        return (isReady ? [.emit(.connectionChanged(isReady: false))] : [])
            + [.emit(.sessionEnded(cause)), .removeObservers]
    }

    /// The consumer of an active session has changed; the session stays.
    mutating func consumerChanged() {
        guard phase == .active else { return }
        epoch += 1
    }

    /// The gateway accepted the consumer.
    mutating func authenticated() -> [Action] {
        guard phase == .active else { return [] }
        authentication = .authenticated
        guard !isReady else { return [] }
        isReady = true
        return [.emit(.connectionChanged(isReady: true))]
    }

    /// The credential of the app was not accepted: one event for one error (R55).
    ///
    /// - Parameters:
    ///   - error: The error of the login.
    ///   - profile: The platform, which determines the event of a rejected credential.
    /// - Returns: The effects; none if this state was reported before.
    mutating func rejected(_ error: SwitchboardError, profile: PlatformProfile) -> [Action] {
        guard phase == .active else { return [] }
        let next: Authentication = error.code == .tokenExpired ? .expired : .failed
        guard authentication != next else { return [] }
        authentication = next
        var actions: [Action] = []
        if isReady {
            isReady = false
            actions.append(.emit(.connectionChanged(isReady: false)))
        }
        switch (next, profile.reportsAuthenticationAsError) {
        case (.expired, _): actions.append(.emit(.tokenExpired))
        case (_, false): actions.append(.emit(.authenticationFailed(error)))
        case (_, true): actions.append(.emit(.error(.identityProvider, error)))
        }
        return actions
    }

    /// The app gave a fresh credential, which clears the failure (R56).
    mutating func credentialReplaced() {
        if authentication == .expired || authentication == .failed { authentication = .none }
    }
}
