/// The steps of one logout; a pure value.
///
/// Unregistering needs the credential, so the wipe comes last; the forced variant wipes even if unregistering failed.
struct LogoutMachine: Sendable {
    /// The next step.
    enum Step: Sendable, Equatable {
        /// End the session at the gateway, with the registration.
        case unregister
        /// Wait, then unregister again.
        case wait(Duration)
        /// Delete everything about the consumer on the device.
        case wipe
        /// The logout has ended: nil is success of every step.
        case finish(SwitchboardError?)
    }

    private let isForced: Bool
    private var schedule: RetrySchedule
    private var mayRenew = true

    /// Creates the steps.
    ///
    /// - Parameters:
    ///   - isForced: Whether the wipe does not depend on the gateway.
    ///   - policy: The repetitions; the forced variant has none.
    init(isForced: Bool, policy: RetryPolicy) {
        self.isForced = isForced
        schedule = RetrySchedule(isForced ? .none : policy)
    }

    /// Returns the first step.
    ///
    /// - Parameter hasSession: Whether the gateway knows a session or a registration of this device.
    /// - Returns: The step.
    func first(hasSession: Bool) -> Step { hasSession ? .unregister : .wipe }

    /// Unregistering has ended.
    ///
    /// - Parameter error: The error; nil if the gateway did it.
    /// - Returns: The next step.
    mutating func unregistered(_ error: SwitchboardError?) -> Step {
        guard let error else { return .wipe }
        switch error.code {
        case .authenticationFailed where error.reason == "revoked":
            // The session was ended already, with what belongs to it.
            return .wipe
        case .tokenExpired where mayRenew, .authenticationFailed where mayRenew:
            // The caller drops the token, so that the next attempt obtains another.
            mayRenew = false
            return .unregister
        default: break
        }
        switch schedule.failed(error) {
        case .wait(let delay): return .wait(delay)
        case .fail: return isForced ? .wipe : .finish(error)
        }
    }

    /// The wipe has ended.
    func wiped(_ error: SwitchboardError?) -> Step { .finish(error) }
}
