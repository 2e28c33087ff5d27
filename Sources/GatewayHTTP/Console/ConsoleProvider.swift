internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import IdentityProviders
internal import TextFormats

/// Signing in at the operators' identity provider (OperatorAccounts page).
enum ConsoleProvider {
    /// The path that leads to the provider; the provider leads back to `callback` below it.
    static let path = "/console/sign-in/oidc"

    /// Sends the browser to the provider.
    @Sendable
    static func begin(_ console: Console) async throws -> Response {
        let (call, login) = try checked(console)
        let next = ConsoleSignIn.next(try QueryParameters(call.request.uri.query, .form))
        let origin = (call.isSecure ? "https://" : "http://") + (call.request.head.authority ?? "")
        let begun: OperatorLogin.Begun
        do {
            begun = try await login.begin(
                redirectURI: origin + path + "/callback",
                next: next,
                address: call.addressName
            )
        } catch { return ConsoleSignIn.failed(console, next: next, Problem(error)) }
        var response = Console.redirection(to: begun.url)
        response.headers[.setCookie] = call.setSignInCookie(begun.cookie)
        return response
    }

    /// Opens a session for the person whom the provider has sent back.
    @Sendable
    static func finish(_ console: Console) async throws -> Response {
        let (call, login) = try checked(console)
        let query = try QueryParameters(call.request.uri.query, .form)
        let answer = OperatorLogin.Answer(
            state: try query.text("state"),
            code: try query.text("code"),
            error: try query.text("error"),
            issuer: try query.text("iss")
        )
        var response: Response
        do throws(OperatorLoginError) {
            let finished = try await login.finish(answer, cookie: call.signInCookie, address: call.addressName)
            response = try await open(finished, call)
        } catch {
            response = ConsoleSignIn.failed(console, next: "/console", Problem(error))
        }
        response.headers.append(HTTPField(name: .setCookie, value: call.setSignInCookie("")))
        return response
    }

    /// Returns the service; throws `Problem` 403, 404 and 429.
    private static func checked(_ console: Console) throws(Problem) -> (Call, OperatorLogin) {
        guard let login = console.call.services.operatorLogin else { throw .notFound("page") }
        try console.call.limitAddress()
        try console.call.requireSecrecy()
        return (console.call, login)
    }

    private static func open(
        _ finished: OperatorLogin.Finished,
        _ call: Call
    ) async throws(OperatorLoginError) -> Response {
        let (name, directory) = (finished.person.name, call.services.directory)
        let grants = finished.person.grants.filter { $0.brand.map { directory.brand($0) != nil } ?? true }
        let origin = OperatorSessionRoutes.origin(name, call)
        let opened: OperatorService.Opened?
        do {
            opened = try await call.services.operators.signIn(name, grants: grants) { action in
                directory.entry(action, brand: nil, target: name.rawValue, by: origin)
            }
        } catch { throw .account(error) }
        guard let opened else { throw .noRole }
        call.context.notes.caller = .operator(opened.identity)
        // Not a redirection: on one from another site the browser would not send the strict cookie.
        let page = ConsolePage(
            title: "Signed in",
            content: #"<p><a id="continue" href="\#(finished.next)">Continue</a></p>"#,
            // The query has the code.
            referrer: "no-referrer",
            refresh: finished.next
        )
        var response = page.response()
        response.headers[.setCookie] = call.setCookie(opened.token)
        return response
    }
}

extension Problem {
    /// Converts the reason why an operator was not signed in by the identity provider.
    init(_ error: OperatorLoginError) {
        switch error {
        case .unknown:
            self.init(
                .invalidRequest,
                "This sign-in was not begun in this browser, took too long, or is over. Begin again."
            )
        case .denied: self.init(.forbidden, "The identity provider did not sign you in.")
        case .rejected: self.init(.forbidden, "The identity provider's response is not accepted; see the log.")
        case .noRole: self.init(.forbidden, "You have no role here: ask an administrator.")
        case .account(let error): self.init(error)
        case .unavailable:
            self.init(.upstreamUnavailable, "The identity provider does not respond as it should; see the log.")
        case .overloaded:
            self.init(.overloaded, "Too many sign-ins wait for the identity provider.", retryAfterSeconds: 2)
        }
    }
}
