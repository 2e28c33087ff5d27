/// What the simulator counted since it started.
package struct SimulatorStatistics: Sendable {
    /// One kind of outcome.
    package struct Outcome: Sendable, Hashable {
        /// Who was asked.
        package var provider: SimulatedProvider
        /// The status of the answer; nil without one.
        package var status: Int?
        /// The provider's word for a refusal, or what happened in place of an answer.
        package var reason: String?
    }

    /// The connections to one port.
    package struct Connections: Sendable, Equatable {
        /// Open now.
        package var open = 0
        /// Opened so far.
        package var opened = 0
        /// The most requests that were unanswered at one moment on one connection.
        package var mostConcurrentStreams = 0
    }

    /// How often each outcome occurred.
    package var outcomes: [Outcome: Int] = [:]
    /// By port: `apns` and `fcm`; the token endpoint shares FCM's.
    package var connections: [SimulatedProvider: Connections] = [:]

    /// How many requests one provider judged.
    ///
    /// - Parameter provider: Who was asked.
    /// - Returns: The sum over all outcomes.
    package func requests(to provider: SimulatedProvider) -> Int {
        self.outcomes.reduce(0) { $0 + ($1.key.provider == provider ? $1.value : 0) }
    }

    /// How many pushes one provider accepted.
    ///
    /// - Parameter provider: Who was asked.
    /// - Returns: The answers with status 200.
    package func accepted(by provider: SimulatedProvider) -> Int {
        self.outcomes[Outcome(provider: provider, status: 200, reason: nil)] ?? 0
    }
}
