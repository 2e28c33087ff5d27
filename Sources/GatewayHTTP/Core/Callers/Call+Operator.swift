internal import GatewayStorage
internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import IdentityProviders
internal import TextFormats

// The session of an operator is in a cookie that only this host gets back (RFC 6265, draft-ietf-httpbis-rfc6265bis): over
// TLS by the prefix `__Host-`, over plain HTTP only on this host itself.
extension Call {
    /// Whether the caller speaks HTTPS, with the gateway or with a trusted proxy that reports it.
    var isSecure: Bool { shared.isSecure || limiter.isSecure(request, context) }

    /// Rejects passwords and sessions of operators, and links, over plain HTTP, except from this host; throws 403.
    func requireSecrecy() throws(Problem) {
        guard isSecure || address == .local else {
            throw Problem(.forbidden, "Sessions and links work over HTTPS; plain HTTP is for the gateway's host only.")
        }
    }

    /// The operator of the request's cookie, with the session's token; throws `Problem` 401, and 403 for a change without
    /// the session's token against forged requests.
    func signedIn() async throws(Problem) -> (identity: OperatorIdentity, token: String) {
        guard let token = cookie(Self.cookieName(isSecure: isSecure)) else {
            throw Problem(AuthenticationError.unauthorized)
        }
        try requireSecrecy()
        // A session is looked up in the store, which strangers could overload.
        try checkAddress()
        let found: OperatorIdentity?
        do { found = try await services.operators.identity(token: token) } catch { throw Problem(error) }
        guard let found else { throw Problem(AuthenticationError.unauthorized) }
        if request.method != .get, request.method != .head {
            guard let text = request.headers[.xCSRFToken], services.operators.isCSRFToken(text, of: token) else {
                throw Problem(.forbidden, "A change by a cookie needs the session's csrfToken in X-CSRF-Token.")
            }
        }
        return (found, token)
    }

    /// Returns the field that gives the caller a session's token, or with "" takes it away.
    func setCookie(_ token: String) -> String {
        setCookie(Self.cookieName(isSecure: isSecure), token, "Strict", seconds: OperatorService.lifetimeSeconds)
    }

    /// Returns the field that binds a sign-in at the identity provider to the browser, or with "" ends that.
    ///
    /// The browser comes back from the provider's site, where it would keep a strict cookie to itself.
    func setSignInCookie(_ value: String) -> String {
        setCookie(Self.signInCookieName(isSecure: isSecure), value, "Lax", seconds: OperatorLogin.lifetimeSeconds)
    }

    /// The value of the cookie that binds a sign-in to the browser; nil when there is none.
    var signInCookie: String? { cookie(Self.signInCookieName(isSecure: isSecure)) }

    private func setCookie(_ name: String, _ value: String, _ sites: String, seconds: Int64) -> String {
        let (kind, age) = (isSecure ? "; Secure" : "", value.isEmpty ? 0 : seconds)
        return "\(name)=\(value); Path=/\(kind); HttpOnly; SameSite=\(sites); Max-Age=\(age)"
    }

    private static func cookieName(isSecure: Bool) -> String { isSecure ? "__Host-switchboard" : "switchboard" }

    private static func signInCookieName(isSecure: Bool) -> String { cookieName(isSecure: isSecure) + "-sign-in" }

    /// Returns the value of a cookie; nil when there is none, or more than one.
    private func cookie(_ name: String) -> String? {
        let pairs = request.headers[values: .cookie].flatMap { $0.byteSplit(";") }.map(\.trimmingBlanks)
        let values = pairs.filter { $0.hasBytePrefix(name + "=") }
        return values.count == 1 ? values.first.map { String($0.dropFirst(name.utf8.count + 1)) } : nil
    }

    /// The caller's address as the owner of waits and work; nil for this host.
    var addressName: String? {
        switch address {
        case .local: nil
        case .remote(let address): address.network.description
        case .unknown: "unknown"
        }
    }
}
