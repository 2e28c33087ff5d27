extension SimulatorStatistics {
    /// Writes the counts in the form of the control port.
    ///
    /// - Parameter writer: Receives one object: the sums over both push services, then each provider with its outcomes
    ///   and, for those that have a port of their own, its connections.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            self.writeResults(of: nil, to: &writer)
            writer.name("providers")
            writer.object { writer in
                for provider in SimulatedProvider.allCases {
                    writer.name(provider.rawValue)
                    writer.object { self.write(provider, to: &$0) }
                }
            }
        }
    }

    private func writeResults(of provider: SimulatedProvider?, to writer: inout JSONWriter) {
        writer.member("accepted", self.count(.accepted, of: provider))
        writer.member("refused", self.count(.refused, of: provider))
        writer.member("unanswered", self.count(.unanswered, of: provider))
    }

    private func write(_ provider: SimulatedProvider, to writer: inout JSONWriter) {
        self.writeResults(of: provider, to: &writer)
        let outcomes = self.outcomes.filter { $0.key.provider == provider }.sorted {
            ($0.key.status ?? 0, $0.key.reason ?? "") < ($1.key.status ?? 0, $1.key.reason ?? "")
        }
        writer.name("outcomes")
        writer.array { writer in
            for (outcome, count) in outcomes {
                writer.object { writer in
                    writer.member("status", outcome.status)
                    writer.member("reason", outcome.reason)
                    writer.member("count", count)
                }
            }
        }
        guard provider.isPushService else { return }
        let connections = self.connections[provider] ?? Connections()
        writer.name("connections")
        writer.object { writer in
            writer.member("open", connections.open)
            writer.member("opened", connections.opened)
            writer.member("mostConcurrentStreams", connections.mostConcurrentStreams)
        }
    }
}
