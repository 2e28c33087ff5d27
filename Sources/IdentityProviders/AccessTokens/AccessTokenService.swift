import CoreMetrics
package import GatewayModel
package import GuardedHTTP
package import Identity
package import Logging
package import Telemetry

/// Gets access tokens at Talkdesk for apps (R168), after the brand's decision if it has a decider (R203).
///
/// No token is stored: each request gets a new one, so that each is decided and has its whole lifetime. A request is
/// sent once. Any task may call.
package final class AccessTokenService: Sendable {
    private let client: GuardedHTTPClient
    private let clock: any GatewayClock
    private let metrics: IdentityProviderMetrics
    private let logger: Logger
    private let slots = ExchangeSlots()

    /// Creates a service; it sends no request yet.
    ///
    /// - Parameters:
    ///   - client: The client for token services and deciders; closed by its owner.
    ///   - clock: The source of time.
    ///   - metrics: The metrics.
    ///   - logger: The logger; a service's error is visible only to operators.
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

    /// Gets an access token; takes twice ``AccessRequest/timeoutSeconds`` at most.
    ///
    /// - Parameters:
    ///   - request: The request of the app, which may have it as far as the gateway knows.
    ///   - broker: The account at Talkdesk.
    /// - Returns: The token, visible ASCII.
    /// - Throws: ``AccessTokenError``.
    package func token(
        for request: AccessRequest,
        from broker: TokenBroker
    ) async throws(AccessTokenError) -> String {
        guard slots.take(broker.credentialID, of: request.brand) else {
            metrics.accessTokens[.overloaded].increment()
            throw .overloaded
        }
        defer { slots.release(broker.credentialID, of: request.brand) }
        try await decide(request, broker)
        guard let url = try? client.url(broker.details.tokenUrl) else {
            throw unavailable(GuardedFailure.forbiddenAddress.text(of: "token service"), request)
        }
        guard let assertion = try? broker.assertion(at: clock.now) else {
            throw unavailable("The gateway's assertion cannot be signed.", request)
        }
        let message = request.tokenRequest(to: url, of: broker.details, assertion: assertion)
        switch await send(message, .accessToken) {
        case .success(let response):
            switch AccessTokenResponse(response) {
            case .token(let token):
                metrics.accessTokens[.granted].increment()
                return token
            case .unavailable(let text): throw unavailable(text, request)
            }
        case .failure(let failure): throw unavailable(failure.text(of: "token service"), request)
        }
    }

    /// Returns when the brand grants the token; asks nobody where it has no decider.
    private func decide(_ request: AccessRequest, _ broker: TokenBroker) async throws(AccessTokenError) {
        guard let address = broker.details.decisionUrl else { return }
        guard let secret = broker.decisionSecret, let url = try? client.url(address) else {
            throw unavailable(GuardedFailure.forbiddenAddress.text(of: "decider"), request)
        }
        switch await send(request.question(to: url, about: broker.details.app, at: clock.now, secret), .decision) {
        case .success(let response):
            switch AccessDecision(response) {
            case .allowed: return
            case .denied(let reason):
                metrics.accessTokens[.denied].increment()
                throw .denied(reason: reason)
            case .unavailable(let text): throw unavailable(text, request)
            }
        case .failure(let failure): throw unavailable(failure.text(of: "decider"), request)
        }
    }

    private func send(
        _ message: GuardedRequest,
        _ label: IdentityProviderRequestLabel
    ) async -> Result<GuardedResponse, GuardedFailure> {
        let start = clock.monotonicNanoseconds
        defer { metrics.duration[label].recordNanoseconds(Int64(clamping: clock.monotonicNanoseconds - start)) }
        do { return .success(try await client.send(message)) } catch { return .failure(error) }
    }

    private func unavailable(_ text: String, _ request: AccessRequest) -> AccessTokenError {
        metrics.accessTokens[.unavailable].increment()
        logger.warning(
            "no access token for an app",
            metadata: [
                LogKey.brand: "\(request.brand)", LogKey.request: "\(request.requestID)",
                LogKey.errorText: "\(text)",
            ]
        )
        return .unavailable
    }
}
