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

    /// How many pushes had a result, at both push services together.
    ///
    /// - Parameters:
    ///   - result: What the senders got to see.
    ///   - provider: One push service or the token endpoint; nil for both push services.
    /// - Returns: The sum.
    package func count(_ result: SimulatedPush.Result, of provider: SimulatedProvider? = nil) -> Int {
        self.outcomes.reduce(0) { sum, outcome in
            let isAsked = provider.map { $0 == outcome.key.provider } ?? outcome.key.provider.isPushService
            return isAsked && outcome.key.result == result ? sum + outcome.value : sum
        }
    }

    /// Counts one outcome.
    mutating func add(_ provider: SimulatedProvider, _ outcome: RuledOutcome) {
        let key = Outcome(provider: provider, status: outcome.status, reason: outcome.reason)
        self.outcomes[key, default: 0] += 1
    }

    /// Counts accepted pushes.
    mutating func addAccepted(_ number: Int, by provider: SimulatedProvider) {
        guard number > 0 else { return }
        self.outcomes[Outcome(provider: provider, status: 200, reason: nil), default: 0] += number
    }

    /// Takes note of how many requests are unanswered on one connection.
    mutating func noteConcurrentStreams(_ number: Int, of provider: SimulatedProvider) {
        let most = self.connections[provider]?.mostConcurrentStreams ?? 0
        if number > most { self.connections[provider, default: .init()].mostConcurrentStreams = number }
    }
}

extension SimulatorStatistics.Outcome {
    /// What the sender got to see.
    package var result: SimulatedPush.Result {
        if self.status == nil { return .unanswered }
        return self.reason == nil ? .accepted : .refused
    }
}
