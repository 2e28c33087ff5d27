extension SimulatorStatistics {
    /// The counts in the form of the control port: the sums over both push services, then each provider with its outcomes
    /// and, for those that have a port of their own, its connections.
    var json: JSONValue {
        let providers = SimulatedProvider.allCases.map { provider in
            JSONValue.JSONMember(name: provider.rawValue, value: .object(self.members(of: provider)))
        }
        return .object(self.results(of: nil) + [.init(name: "providers", value: .object(providers))])
    }

    private func results(of provider: SimulatedProvider?) -> [JSONValue.JSONMember] {
        [("accepted", SimulatedPush.Result.accepted), ("refused", .refused), ("unanswered", .unanswered)].map {
            .init(name: $0, value: .integer(Int64(self.count($1, of: provider))))
        }
    }

    private func members(of provider: SimulatedProvider) -> [JSONValue.JSONMember] {
        let outcomes = self.outcomes.filter { $0.key.provider == provider }.sorted {
            ($0.key.status ?? 0, $0.key.reason ?? "") < ($1.key.status ?? 0, $1.key.reason ?? "")
        }
        let listed = outcomes.map { outcome, count in
            JSONValue.present([
                ("status", outcome.status.map { .integer(Int64($0)) }), ("reason", outcome.reason.map { .string($0) }),
                ("count", .integer(Int64(count))),
            ])
        }
        let members = self.results(of: provider) + [.init(name: "outcomes", value: .array(listed))]
        guard provider.isPushService else { return members }
        let connections = self.connections[provider] ?? Connections()
        let counts: JSONValue = [
            "open": .integer(Int64(connections.open)), "opened": .integer(Int64(connections.opened)),
            "mostConcurrentStreams": .integer(Int64(connections.mostConcurrentStreams)),
        ]
        return members + [.init(name: "connections", value: counts)]
    }
}
