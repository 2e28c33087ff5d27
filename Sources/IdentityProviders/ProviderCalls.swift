import CoreMetrics
package import GatewayModel
package import GuardedHTTP
package import Logging
package import Telemetry

/// How identity providers and token services are called: the client, and what is recorded of a call.
///
/// Any task may call.
package struct ProviderCalls: Sendable {
    let client: GuardedHTTPClient
    let clock: any GatewayClock
    let metrics: IdentityProviderMetrics
    /// The log, which is visible only to operators: it has what a provider responds.
    let logger: Logger

    /// Creates the calls; none is made yet.
    ///
    /// - Parameters:
    ///   - client: The client for their URLs; closed by its owner.
    ///   - clock: The source of time.
    ///   - metrics: The metrics.
    ///   - logger: The logger.
    package init(
        client: GuardedHTTPClient,
        clock: any GatewayClock,
        metrics: IdentityProviderMetrics,
        logger: Logger
    ) {
        self.client = client
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Sends a request, and records how long it took.
    func send(
        _ request: GuardedRequest,
        _ label: IdentityProviderRequestLabel
    ) async throws(GuardedFailure) -> GuardedResponse {
        let start = clock.monotonicNanoseconds
        defer { metrics.duration[label].recordNanoseconds(Int64(clamping: clock.monotonicNanoseconds - start)) }
        return try await client.send(request)
    }
}
