internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Signing in and out, and the choice of a brand.
enum ConsoleSignIn {
    /// The maximum number of brands that are listed.
    private static let maxBrands = 200

    @Sendable
    static func page(_ console: Console) async throws -> Response {
        form(console, next: next(try QueryParameters(console.call.request.uri.query, .form))).response()
    }

    @Sendable
    static func signIn(_ console: Console) async throws -> Response {
        let form = try await console.form()
        let next = next(form)
        do {
            let signed = try await console.send(
                .post,
                "/v1/operators/session",
                body: ["name": .string(try form.field("name")), "password": .string(try form.field("password"))]
            )
            var response = Console.redirection(to: next)
            response.headers[.setCookie] = signed.headers[.setCookie]
            return response
        } catch let problem as Problem {
            return failed(console, next: next, problem)
        }
    }

    /// Returns the page for another attempt, with the reason why this one failed.
    static func failed(_ console: Console, next: String, _ problem: Problem) -> Response {
        // A page has no 401: browsers would ask for the password of another scheme.
        let status = problem.status == 401 ? 422 : problem.status
        var response = form(console, next: next, problem: problem).response(HTTPResponse.Status(code: status))
        response.headers[.retryAfter] = problem.retryAfterSeconds.map { String($0) }
        return response
    }

    @Sendable
    static func signOut(_ console: Console) async throws -> Response {
        let token = try await console.form().field("csrf")
        let headers = try await console.send(.delete, "/v1/operators/session", csrfToken: token).headers
        var response = Console.redirection(to: "/console/sign-in")
        response.headers[.setCookie] = headers[.setCookie]
        return response
    }

    /// Returns the page that is shown after signing in: only one of the console.
    static func next(_ parameters: QueryParameters) -> String {
        let path = (try? parameters.text("next")) ?? ""
        let isPage = path.hasBytePrefix("/console/") && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
        return isPage && path.utf8.count <= 4096 ? path : "/console"
    }

    private static func form(_ console: Console, next: String, problem: Problem? = nil) -> ConsolePage {
        let path = Console.path(ConsoleProvider.path, query: [("next", next)])
        let provider: HTML = #"<p><a id="provider" href="\#(path)">Sign in with your organisation's account</a></p>"#
        let lines = problem.map { [$0.detail] + $0.errors.map { "\($0.pointer) \($0.detail)" } } ?? []
        let texts = lines.map { "<p>\($0)</p>" as HTML }
        return ConsolePage(
            title: "Sign in",
            content: """
                \(HTML.when(problem != nil, #"<div role="alert" id="problem">\#(texts)</div>"#))
                <form method="post" action="/console/sign-in">\(ConsolePage.hidden("next", next))
                <p><label for="name">Name</label>
                <input id="name" name="name" required maxlength="128" autocomplete="username" autocapitalize="none"></p>
                <p><label for="password">Password</label> <input id="password" name="password" type="password" required \
                maxlength="256" autocomplete="current-password"></p>
                <p><button id="sign-in">Sign in</button></p></form>
                \(HTML.when(console.call.services.operatorLogin != nil, provider))
                <p><a id="continue" href="\(next)">Continue, if you are signed in already</a></p>
                """
        )
    }

    // MARK: Brands

    /// Lists the brands in which the operator has a role.
    @Sendable
    static func brands(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let brands = console.call.services.directory.brands.filter { session.grants.role(in: $0.id) != nil }
        let rows = brands.prefix(maxBrands).map { brand -> HTML in
            let path = Console.path("/console/brands", [brand.id.rawValue, "deliveries"])
            let role = session.grants.role(in: brand.id)?.rawValue ?? ""
            return """
                <tr><th scope="row"><a href="\(path)">\(brand.id.rawValue)</a></th><td>\(brand.name.clipped(40))</td>\
                <td>\(role)</td></tr>
                """
        }
        let content: HTML = """
            \(ConsolePage.table("brand-list", "Your brands", ["Brand", "Name", "Role"], rows))
            \(HTML.when(brands.count > maxBrands, "<p>These are \(maxBrands) of \(brands.count) brands.</p>"))
            """
        return ConsolePage(title: "Brands", session: session, content: content).response()
    }
}
