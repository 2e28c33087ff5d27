internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// The pages of the console (Console page), and the files that they load.
enum ConsoleRoutes {
    /// A page, made from the request for it.
    private typealias Handler = @Sendable (Console) async throws -> Response

    /// The maximum length of a path that is opened after signing in.
    private static let maxNextBytes = 4096

    /// Adds the pages, which call the routes that were added before.
    static func add(to routes: inout RouteTable) {
        let api = routes.responder
        let brand = "/console/brands/:brand"
        // Pages take no slot: the routes that they call take one each.
        let pages: [(path: String, handler: Handler)] = [
            ("/console", ConsoleSignIn.brands),
            ("/console/sign-in", ConsoleSignIn.page),
            (ConsoleProvider.path, ConsoleProvider.begin),
            (ConsoleProvider.path + "/callback", ConsoleProvider.finish),
            (brand + "/deliveries", ConsoleDeliveries.list),
            (brand + "/deliveries/:delivery", ConsoleDelivery.page),
            ("/console/links/:linkToken", ConsoleLinks.page),
            (brand + "/failures", ConsoleFailures.page),
            (brand + "/tail", ConsoleTail.page),
            (brand + "/lanes", ConsoleLanes.page),
            (brand + "/objectives", ConsoleObjectives.page),
            (brand + "/unreachable", ConsoleUnreachable.page),
            (brand + "/calendar", ConsoleCalendar.page),
            (brand + "/audit", ConsoleAudit.page),
            (brand + "/search", ConsoleSearch.page),
            (brand + "/consumers/:consumer", ConsoleConsumer.page),
            (brand + "/consumers/:consumer/explain", ConsoleConsumer.explanation),
        ]
        for page in pages {
            routes.on(.get, page.path, isAlwaysAnswered: true, errors: .page) { call in
                try await respond(to: call, api, page.path, page.handler)
            }
        }
        let forms: [(path: String, handler: Handler)] = [
            ("/console/sign-in", ConsoleSignIn.signIn),
            ("/console/sign-out", ConsoleSignIn.signOut),
            (brand + "/deliveries/:delivery/retry", ConsoleDelivery.retry),
            (brand + "/deliveries/:delivery/reveal", ConsoleDelivery.reveal),
            (brand + "/deliveries/:delivery/send", ConsoleDelivery.send),
            (brand + "/deliveries/:delivery/links", ConsoleLinks.create),
            (brand + "/deliveries/:delivery/links/:link/revoke", ConsoleLinks.revoke),
            (brand + "/failures/replay", ConsoleReplay.run),
            (brand + "/search", ConsoleSearch.form),
            (brand + "/lanes/:lane/pause", { try await ConsoleLanes.set("pause", $0) }),
            (brand + "/lanes/:lane/resume", { try await ConsoleLanes.set("resume", $0) }),
            (brand + "/lanes/:lane/pace", ConsoleLanes.setPace),
        ]
        for form in forms {
            routes.on(.post, form.path, errors: .page) { call in
                try await respond(to: call, api, form.path, form.handler)
            }
        }
        routes.on(.get, "/console/assets/:name", isAlwaysAnswered: true, errors: .page) { call in
            try ConsoleAsset.response(call)
        }
    }

    /// Makes a page; a caller who is not signed in is led to the page where that is done, and from there back.
    private static func respond(
        to call: Call,
        _ api: RouterResponder<GatewayContext>,
        _ path: String,
        _ handler: Handler
    ) async throws -> Response {
        let brand = path.hasBytePrefix("/console/brands/") ? try call.segment("brand") : ""
        do {
            return try await handler(Console(call: call, routes: api, brand: brand))
        } catch let problem as Problem where problem.status == 401 {
            let path = call.request.uri.string
            let next = call.request.method == .post || path.utf8.count > maxNextBytes ? "" : path
            return Console.redirection(to: Console.path("/console/sign-in", query: [("next", next)]))
        }
    }
}
