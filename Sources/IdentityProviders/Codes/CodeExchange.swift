import CoreMetrics
import Cryptography
package import GatewayModel
package import GatewayStorage
import GuardedHTTP
package import Identity
import Logging
import Telemetry
internal import TextFormats

/// Redeems authorization codes at brands' identity providers (R50-R52, R59-R61).
///
/// A code is marked as used first, durably and for all nodes. A wrong redirect URI or verifier marks it as a right one
/// does, because a code that came with either has leaked. So every code reaches its provider once at most, and a lost
/// response is not requested again. Any task may call.
package final class CodeExchange: Sendable {
    private let directory: Directory
    private let store: any CodeStore
    private let calls: ProviderCalls
    private let slots = ExchangeSlots()
    private let allowance: CodeAllowance

    /// Creates an exchange; it sends no request yet.
    ///
    /// - Parameters:
    ///   - directory: The brands' identity providers.
    ///   - store: The store of used codes.
    ///   - calls: The calls of token endpoints.
    package init(directory: Directory, store: any CodeStore, calls: ProviderCalls) {
        self.directory = directory
        self.store = store
        self.calls = calls
        allowance = CodeAllowance(clock: calls.clock)
    }

    /// Redeems a code.
    ///
    /// - Parameters:
    ///   - code: The code, 1 to 2048 bytes of printable ASCII.
    ///   - redirectURI: The redirect URI of the code; must be one of the provider's, byte for byte.
    ///   - codeVerifier: The PKCE verifier, 43 to 128 unreserved characters; nil for none.
    ///   - issuerName: The provider's display name; nil for the brand's only provider. Of several credentials for the
    ///     same provider (display name, issuer and token endpoint) the newest active one is used.
    ///   - brand: The brand.
    /// - Returns: The id token, not verified.
    /// - Throws: ``CodeExchangeError``. A rejected code is ``AuthenticationError/tokenInvalid(_:)`` with `malformed`,
    ///   `unknown_issuer`, `code_reused`, `redirect_mismatch`, `pkce_mismatch`, or `revoked` when the provider rejects
    ///   the code for another reason. It is ``AuthenticationError/upstreamUnavailable(_:)`` when the provider does not
    ///   respond as it should.
    package func redeem(
        code: String,
        redirectURI: String,
        codeVerifier: String?,
        issuerName: String?,
        brand: BrandID
    ) async throws(CodeExchangeError) -> CodeRedemption {
        guard CodeRules.isCode(code) else { throw .refused(.tokenInvalid(.malformed)) }
        let provider = try provider(issuerName, of: brand)
        // Before the code is marked as used: a caller that is rejected here may send it again.
        guard let url = try? calls.client.url(provider.details.tokenEndpoint) else {
            throw unavailable(GuardedFailure.forbiddenAddress.text(of: "identity provider"), brand)
        }
        guard slots.take(provider.credentialID, of: brand) else {
            calls.metrics.codeExchanges[.overloaded].increment()
            throw .overloaded
        }
        defer { slots.release(provider.credentialID, of: brand) }
        if let seconds = allowance.take(provider.credentialID) {
            calls.metrics.codeExchanges[.limited].increment()
            throw .limited(retryAfterSeconds: seconds)
        }
        try await markUsed(code, at: url, provider, brand)
        guard provider.details.redirectUris.contains(where: { $0.hasSameBytes(as: redirectURI) }) else {
            throw mismatch(.redirectMismatch)
        }
        guard codeVerifier.map(CodeRules.isVerifier) ?? (provider.details.pkce == .optional) else {
            throw mismatch(.pkceMismatch)
        }
        let request = TokenRequest(
            clientID: provider.details.clientId,
            clientSecret: provider.clientSecret,
            clientAuth: provider.details.clientAuth,
            code: code,
            redirectURI: redirectURI,
            codeVerifier: codeVerifier
        )
        switch await ask(request.message(to: url, owner: brand.rawValue)) {
        case .token(let token):
            calls.metrics.codeExchanges[.redeemed].increment()
            return CodeRedemption(
                idToken: token,
                provider: provider.details,
                credentialID: provider.credentialID
            )
        case .refused(let reason):
            calls.metrics.codeExchanges[.refused].increment()
            throw .refused(.tokenInvalid(reason))
        case .unavailable(let text):
            throw unavailable(text, brand)
        }
    }

    /// Returns the one provider that is meant; the newest credential while it is rotated.
    private func provider(_ name: String?, of brand: BrandID) throws(CodeExchangeError) -> IdentityProvider {
        var providers = directory.identityProviders(brand: brand)
        if let name {
            providers.removeAll { !Self.isSame($0.details.issuerDisplayName, name) }
        }
        guard let newest = providers.first,
            providers.allSatisfy({ Self.isSame($0.details, newest.details) })
        else { throw .refused(.tokenInvalid(.unknownIssuer)) }
        return newest
    }

    /// Returns whether two credentials are for the same provider: their other members may change with a rotation.
    private static func isSame(_ first: IdentityProviderDetails, _ second: IdentityProviderDetails) -> Bool {
        isSame(first.issuerDisplayName, second.issuerDisplayName)
            && first.issuer.hasSameBytes(as: second.issuer)
            && first.tokenEndpoint.hasSameBytes(as: second.tokenEndpoint)
    }

    private static func isSame(_ first: String?, _ second: String?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return first.hasSameBytes(as: second)
    }

    private func markUsed(
        _ code: String,
        at url: GuardedURL,
        _ provider: IdentityProvider,
        _ brand: BrandID
    ) async throws(CodeExchangeError) {
        // The key has the provider's client, not the credential: a rotated or a second credential must not let the code
        // through again. None of the four contains a zero byte.
        let parts = Array("\(brand.rawValue)\0\(url.text)\0\(provider.details.clientId)\0\(code)".utf8)
        let isFirst: Bool
        do {
            isFirst = try await store.markCodeUsed(
                RedeemedCode(hash: Array(SHA256.hash(data: parts)), keptFrom: calls.clock.now)
            )
        } catch {
            calls.metrics.codeExchanges[.storage].increment()
            throw .storage(error)
        }
        guard isFirst else {
            calls.metrics.codeExchanges[.reused].increment()
            throw .refused(.tokenInvalid(.codeReused))
        }
    }

    private func mismatch(_ reason: TokenInvalidReason) -> CodeExchangeError {
        calls.metrics.codeExchanges[.mismatch].increment()
        return .refused(.tokenInvalid(reason))
    }

    private func unavailable(_ text: String, _ brand: BrandID) -> CodeExchangeError {
        calls.metrics.codeExchanges[.unavailable].increment()
        calls.logger.warning(
            "code exchange failed at an identity provider",
            metadata: [LogKey.brand: "\(brand)", LogKey.errorText: "\(text)"]
        )
        return .refused(.upstreamUnavailable(text))
    }

    private func ask(_ request: GuardedRequest) async -> TokenResponse {
        do {
            return TokenResponse(try await calls.send(request, .code))
        } catch {
            return .unavailable(error.text(of: "identity provider"))
        }
    }
}
