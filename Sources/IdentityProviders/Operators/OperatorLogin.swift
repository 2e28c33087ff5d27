import CoreMetrics
import FairSharing
import GatewayModel
import GuardedHTTP
package import Identity
import Logging
import Synchronization
import Telemetry
internal import TextFormats

/// Signs operators in at the identity provider of the settings: the authorization code flow of OpenID Connect with state,
/// nonce and PKCE (OpenID Connect Core section 3.1, RFC 7636, RFC 9700).
///
/// A sign-in belongs to the browser that began it, by a cookie, and comes back once. Sign-ins are in memory: a restart
/// forgets those that were begun. Any task may call.
package final class OperatorLogin: Sendable {
    /// A sign-in that was begun.
    package struct Begun: Sendable {
        /// The provider's page, to which the browser goes.
        package var url: String
        /// The value of the browser's cookie.
        package var cookie: String
    }

    /// The parameters with which the provider sends the browser back.
    package struct Answer: Sendable {
        var state: String?
        var code: String?
        var error: String?
        var issuer: String?

        /// Creates an answer; each is nil when it is absent.
        package init(state: String?, code: String?, error: String?, issuer: String?) {
            self.state = state
            self.code = code
            self.error = error
            self.issuer = issuer
        }
    }

    /// A person who has come back.
    package struct Finished: Sendable, Equatable {
        /// The account and its roles, which may be none.
        package var person: OperatorTokenVerifier.Person
        /// The page that is shown now.
        package var next: String
    }

    /// How long a sign-in may take, in seconds.
    package static let lifetimeSeconds = Int64(PendingLogins.lifetimeSeconds)

    /// The timeout for each request, for which a browser waits.
    private static let timeout = Duration.seconds(10)
    /// How long the provider's configuration is used, in nanoseconds.
    private static let configurationNanoseconds: UInt64 = 600_000_000_000

    private struct State {
        var pending = PendingLogins()
        var known: (configuration: ProviderConfiguration, readAt: UInt64)?
        /// Browsers that wait for the provider, by address.
        var slots = FairSlots<String>(capacity: 32, capacityPerOwner: 8)
    }

    private let provider: OperatorProvider
    private let calls: ProviderCalls
    private let verifier: OperatorTokenVerifier
    private let state = Mutex(State())

    /// Creates the service; it sends no request yet.
    ///
    /// - Parameters:
    ///   - provider: The identity provider.
    ///   - calls: The calls of it.
    ///   - keys: The cache of JWK sets.
    package init(provider: OperatorProvider, calls: ProviderCalls, keys: any PublishedKeys) {
        self.provider = provider
        self.calls = calls
        verifier = OperatorTokenVerifier(keys: keys, clock: calls.clock)
    }

    // MARK: Steps

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the provider sends the browser back.
    ///   - next: The page that is shown afterwards.
    ///   - address: The caller's address; nil for this host.
    /// - Returns: The provider's page, and the cookie.
    /// - Throws: ``OperatorLoginError``.
    package func begin(
        redirectURI: String,
        next: String,
        address: String?
    ) async throws(OperatorLoginError) -> Begun {
        let owner = address ?? ""
        try enter(owner)
        defer { leave(owner) }
        let configuration = try await configuration()
        let (state, cookie) = (RandomToken.signIn.make(), RandomToken.signIn.make())
        let (nonce, verifier) = (RandomToken.signIn.make(), RandomToken.signIn.make())
        let login = PendingLogin(
            stateHash: state.hash,
            cookieHash: cookie.hash,
            nonce: nonce.token,
            verifier: verifier.token,
            redirectURI: redirectURI,
            next: next,
            owner: owner,
            startedAt: calls.clock.now,
            started: calls.clock.monotonicNanoseconds
        )
        self.state.withLock { $0.pending.add(login) }
        let query = FormEncoding.body([
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", redirectURI),
            ("scope", provider.scopes), ("state", state.token), ("nonce", nonce.token),
            ("code_challenge", StrictBase64.encode(verifier.hash, .url)), ("code_challenge_method", "S256"),
        ])
        let page = configuration.authorizationEndpoint
        let separator = page.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return Begun(url: page + separator + String(decoding: query, as: UTF8.self), cookie: cookie.token)
    }

    /// Finishes a sign-in; its state is used up, also when it fails.
    ///
    /// - Parameters:
    ///   - answer: The parameters of the request.
    ///   - cookie: The browser's cookie; nil when it has none.
    ///   - address: The caller's address; nil for this host.
    /// - Returns: The person.
    /// - Throws: ``OperatorLoginError``.
    package func finish(
        _ answer: Answer,
        cookie: String?,
        address: String?
    ) async throws(OperatorLoginError) -> Finished {
        let now = calls.clock.monotonicNanoseconds
        let hash = answer.state.flatMap { RandomToken.signIn.hash(of: $0) }
        guard let login = hash.flatMap({ hash in state.withLock { $0.pending.take(hash, now: now) } }),
            let cookie, RandomToken.signIn.hash(of: cookie) == login.cookieHash
        else { throw .unknown }
        let owner = address ?? ""
        try enter(owner)
        defer { leave(owner) }
        do throws(OperatorLoginError) {
            let person = try await person(answer, login)
            if person.grants.isEmpty {
                calls.logger.notice(
                    "a person without a role was not signed in",
                    metadata: [LogKey.callerID: "\(person.name)"]
                )
            }
            return Finished(person: person, next: login.next)
        } catch {
            if case .rejected(let reason) = error {
                calls.logger.warning(
                    "an operator's sign-in was rejected: the identity provider's response is not accepted",
                    metadata: [LogKey.errorCode: "\(reason.code)", LogKey.errorText: "\(reason.text)"]
                )
            }
            throw error
        }
    }

    private func person(
        _ answer: Answer,
        _ login: PendingLogin
    ) async throws(OperatorLoginError) -> OperatorTokenVerifier.Person {
        let configuration = try await configuration()
        // Another provider must not send its code here (RFC 9207 section 2.4).
        guard answer.issuer?.hasSameBytes(as: provider.issuer) ?? !configuration.namesItself else {
            throw .rejected(.tokenInvalid(.unknownIssuer))
        }
        guard answer.error == nil else { throw .denied }
        guard let code = answer.code, CodeRules.isCode(code) else { throw .rejected(.tokenInvalid(.malformed)) }
        let request = TokenRequest(
            clientID: provider.clientID,
            clientSecret: Array(provider.clientSecret.utf8),
            clientAuth: configuration.clientAuth,
            code: code,
            redirectURI: login.redirectURI,
            codeVerifier: login.verifier
        )
        switch TokenResponse(try await send(request.message(to: configuration.tokenEndpoint, owner: ""))) {
        case .refused(let reason): throw .rejected(.tokenInvalid(reason))
        case .unavailable(let text): throw unavailable(text)
        case .token(let token):
            do {
                return try await verifier.verify(
                    token,
                    of: provider,
                    keysAt: configuration.keysURL,
                    nonce: login.nonce,
                    since: login.startedAt
                )
            } catch {
                if case .upstreamUnavailable(let text) = error { throw unavailable(text) }
                throw .rejected(error)
            }
        }
    }

    // MARK: The provider

    private func enter(_ owner: String) throws(OperatorLoginError) {
        guard state.withLock({ $0.slots.take(owner) }) else { throw .overloaded }
    }

    private func leave(_ owner: String) { state.withLock { $0.slots.release(owner) } }

    /// Returns the provider's configuration, as it was published within ten minutes.
    private func configuration() async throws(OperatorLoginError) -> ProviderConfiguration {
        let now = calls.clock.monotonicNanoseconds
        let known = state.withLock { state in
            state.known.flatMap { now < $0.readAt + Self.configurationNanoseconds ? $0.configuration : nil }
        }
        if let known { return known }
        guard let url = try? calls.client.url(ProviderConfiguration.address(of: provider.issuer)) else {
            throw unavailable(GuardedFailure.forbiddenAddress.text(of: "identity provider"))
        }
        let request = GuardedRequest(
            url: url,
            method: .get,
            headers: [("accept", "application/json"), ("user-agent", "switchboard")],
            responseBody: .read(maxBytes: ProviderConfiguration.maxBytes),
            timeout: Self.timeout
        )
        let response = try await send(request)
        guard let read = ProviderConfiguration(response, issuer: provider.issuer, calls.client) else {
            throw unavailable("The identity provider's configuration is missing, or not that of operators.oidc.issuer.")
        }
        state.withLock { $0.known = (read, now) }
        return read
    }

    private func send(_ request: GuardedRequest) async throws(OperatorLoginError) -> GuardedResponse {
        do { return try await calls.send(request, .operatorLogin) } catch {
            throw unavailable(error.text(of: "identity provider"))
        }
    }

    private func unavailable(_ text: String) -> OperatorLoginError {
        calls.logger.warning(
            "operators cannot sign in at the identity provider",
            metadata: [LogKey.errorText: "\(text)"]
        )
        return .unavailable(text)
    }
}
