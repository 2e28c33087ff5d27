import CoreMetrics
import GatewayModel
import GuardedHTTP
package import Identity
import Logging
import Telemetry

/// Gets access tokens at Talkdesk for apps (R168), after the brand's decision if it has a decider (R203).
///
/// No token is stored: each request gets a new one, so that each is decided and has its whole lifetime. A request is
/// sent once. Any task may call.
package final class AccessTokenService: Sendable {
    private let calls: ProviderCalls
    private let slots = ExchangeSlots()

    /// Creates a service; it sends no request yet.
    ///
    /// - Parameter calls: The calls of token services and deciders.
    package init(calls: ProviderCalls) { self.calls = calls }

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
            calls.metrics.accessTokens[.overloaded].increment()
            throw .overloaded
        }
        defer { slots.release(broker.credentialID, of: request.brand) }
        try await decide(request, broker)
        guard let url = try? calls.client.url(broker.details.tokenUrl) else {
            throw unavailable(GuardedFailure.forbiddenAddress.text(of: "token service"), request)
        }
        guard let assertion = try? broker.assertion(at: calls.clock.now) else {
            throw unavailable("The gateway's assertion cannot be signed.", request)
        }
        let message = request.tokenRequest(to: url, of: broker.details, assertion: assertion)
        switch await send(message, .accessToken) {
        case .success(let response):
            switch AccessTokenResponse(response) {
            case .token(let token):
                calls.metrics.accessTokens[.granted].increment()
                return token
            case .unavailable(let text): throw unavailable(text, request)
            }
        case .failure(let failure): throw unavailable(failure.text(of: "token service"), request)
        }
    }

    /// Returns when the brand grants the token; asks nobody where it has no decider.
    private func decide(_ request: AccessRequest, _ broker: TokenBroker) async throws(AccessTokenError) {
        guard let address = broker.details.decisionUrl else { return }
        guard let secret = broker.decisionSecret, let url = try? calls.client.url(address) else {
            throw unavailable(GuardedFailure.forbiddenAddress.text(of: "decider"), request)
        }
        switch await send(request.question(to: url, about: broker.details.app, at: calls.clock.now, secret), .decision)
        {
        case .success(let response):
            switch AccessDecision(response) {
            case .allowed: return
            case .denied(let reason):
                calls.metrics.accessTokens[.denied].increment()
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
        do { return .success(try await calls.send(message, label)) } catch { return .failure(error) }
    }

    private func unavailable(_ text: String, _ request: AccessRequest) -> AccessTokenError {
        calls.metrics.accessTokens[.unavailable].increment()
        calls.logger.warning(
            "no access token for an app",
            metadata: [
                LogKey.brand: "\(request.brand)", LogKey.request: "\(request.requestID)",
                LogKey.errorText: "\(text)",
            ]
        )
        return .unavailable
    }
}
