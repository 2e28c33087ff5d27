/// The counts of the simulator since it started.
package struct SimulatorStatistics: Sendable {
    /// One kind of outcome.
    package struct Outcome: Sendable, Hashable {
        /// The provider.
        package var provider: SimulatedProvider
        /// The status of the response; nil without one.
        package var status: Int?
        /// The provider's reason for a rejection, or the action of the rule if there was no response.
        package var reason: String?
    }

    /// The connections to one port.
    package struct Connections: Sendable, Equatable {
        /// The number of open connections.
        package var open = 0
        /// The number of connections opened so far.
        package var opened = 0
        /// The most concurrent requests without a response on one connection.
        package var mostConcurrentStreams = 0
    }

    /// The count of each outcome.
    package var outcomes: [Outcome: Int] = [:]
    /// The connections by port: `apns` and `fcm`; the token endpoint shares FCM's.
    package var connections: [SimulatedProvider: Connections] = [:]

    /// Returns the number of requests to one provider.
    ///
    /// - Parameter provider: The provider.
    /// - Returns: The sum over all outcomes.
    package func requests(to provider: SimulatedProvider) -> Int {
        self.outcomes.reduce(0) { $0 + ($1.key.provider == provider ? $1.value : 0) }
    }

    /// Returns the number of pushes that one provider accepted.
    ///
    /// - Parameter provider: The provider.
    /// - Returns: The number of responses with status 200.
    package func accepted(by provider: SimulatedProvider) -> Int {
        self.outcomes[Outcome(provider: provider, status: 200, reason: nil)] ?? 0
    }

    /// Returns the number of pushes with a result, of both push services together.
    ///
    /// - Parameters:
    ///   - result: The result for the senders.
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

    /// Records the number of concurrent requests on one connection.
    mutating func noteConcurrentStreams(_ number: Int, of provider: SimulatedProvider) {
        let most = self.connections[provider]?.mostConcurrentStreams ?? 0
        if number > most { self.connections[provider, default: .init()].mostConcurrentStreams = number }
    }
}

extension SimulatorStatistics.Outcome {
    /// The result for the sender.
    package var result: SimulatedPush.Result {
        if self.status == nil { return .unanswered }
        return self.reason == nil ? .accepted : .refused
    }
}
