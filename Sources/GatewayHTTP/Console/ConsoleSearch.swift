internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// The search: from any name to the page of what has it.
enum ConsoleSearch {
    /// The maximum length of what is searched, in bytes: that of a push token.
    private static let maxBytes = 4096

    private static let names: [BoundedName] = ["q", "consumer", "source"]

    @Sendable
    static func page(_ console: Console) async throws -> Response {
        try await find(try console.parameters(names, atMost: maxBytes), console)
    }

    /// Finds what a form names in its body: a push token must not be in an address, which proxies log.
    @Sendable
    static func form(_ console: Console) async throws -> Response {
        let form = try await console.form()
        return try await find(names.map { ($0.text, try form.field($0)) }, console)
    }

    private static func find(_ query: [Console.Parameter], _ console: Console) async throws -> Response {
        let session = try await console.session()
        let hits = try await console.get(console.api("search", query: query))["items"].items.prefix(50)
        let seesConsumers = session.allows(.consumersRead, in: console.brand)
        let paths = hits.map { path($0, seesConsumers, console) }
        if let only = paths.first, paths.count == 1 { return Console.redirection(to: only) }
        let rows = zip(hits, paths).map { hit, path -> HTML in
            """
            <tr><th scope="row"><a href="\(path)">\(hit["id"])</a></th><td>\(hit["kind"])</td><td>\(hit["app"])</td>\
            <td>\(hit["consumer"])</td><td>\(hit["foundBy"])</td></tr>
            """
        }
        let content: HTML = """
            \(ConsolePage.table("hits", "Found", ["Id", "Kind", "App", "Consumer", "Found by"], rows))
            <p>The id of an event, and a provider's id, are found together with the consumer.</p>
            <form id="narrow" class="filter" action="\(console.page("search"))">\(ConsolePage.field("q", "Id", query[0].value.clipped(256), isRequired: true))\
            \(ConsolePage.field("consumer", "Consumer", query[1].value.clipped(256)))\
            \(ConsolePage.field("source", "Source of the event", query[2].value.clipped(256)))\
            <p><button id="search-again">Find</button></p></form>
            """
        return console.response("Search", session, nil, content)
    }

    /// Returns the page of a hit that the role may see.
    private static func path(_ hit: StrictJSON, _ seesConsumers: Bool, _ console: Console) -> String {
        let (id, kind) = (hit["id"].word, hit["kind"].word)
        if kind.hasSameBytes(as: "delivery") { return console.page("deliveries", id) }
        if kind.hasSameBytes(as: "message") { return console.page("deliveries", query: [("message", id)]) }
        if seesConsumers { return console.page("consumers", hit["consumer"].word) }
        return console.page("deliveries", query: [(kind.hasSameBytes(as: "device") ? "device" : "consumer", id)])
    }
}
