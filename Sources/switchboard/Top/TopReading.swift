import GatewayClient

/// The metrics and the readiness of a gateway at one moment.
struct TopReading {
    /// The moment.
    var time: ContinuousClock.Instant
    /// Its metrics.
    var samples: MetricSamples
    /// The reason why it accepts no events; nil when it does.
    var problem: String?
    /// Whether nothing expires because its clock may be wrong.
    var isClockGuarded: Bool

    /// Reads `/metrics` and `/readyz`; throws ``CommandFailure``.
    static func read(_ client: APIClient) async throws -> TopReading {
        let metrics = try await client.exchange("GET", ["metrics"])
        if metrics.status != 200 { _ = try client.checked(metrics) }
        guard let text = metrics.body.string, text.hasPrefix("# ") else {
            throw CommandFailure(.failure, "\(client.server) has no metrics: not a Switchboard gateway")
        }
        let time = ContinuousClock.now
        let ready = try await client.exchange("GET", ["readyz"])
        let problem = ready.body["detail"].string ?? "it accepts no events (\(ready.status))"
        return TopReading(
            time: time,
            samples: MetricSamples(text),
            problem: ready.status == 200 ? nil : problem,
            isClockGuarded: ready.body["clock"].string == "guarded"
        )
    }
}
