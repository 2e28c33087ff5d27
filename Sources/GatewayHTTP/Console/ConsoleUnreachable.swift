internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// Consumers with unread messages whom no push reaches.
enum ConsoleUnreachable {
    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let filter = try console.parameters(["unreadOlderThanHours"])
        let cursor = try console.parameters(["cursor"], atMost: 2048)
        let list = try await console.get(console.api("unreachable", query: filter + cursor))
        let rows = list["items"].items.map { consumer -> HTML in
            let id = consumer["consumer"].word
            return """
                <tr><th scope="row"><a href="\(console.page("consumers", id))">\(id.clipped(40))</a></th>\
                <td>\(consumer["unread"])</td><td>\(consumer["unreadSince"])</td></tr>
                """
        }
        let file = console.api("unreachable", "export", query: filter + [("format", "csv")])
        let label = "Unread for at least so many hours (24)"
        let caption = "Consumers with unread messages and no active device"
        let content: HTML = """
            <form id="filter" class="filter">\(ConsolePage.field("unreadOlderThanHours", label, filter[0].value))\
            <p><button id="apply">Filter</button></p></form>
            \(ConsolePage.table("unreachable-list", caption, ["Consumer", "Unread", "Since"], rows))
            \(HTML.when(list["nextCursor"] != .null, "<p>There may be more: a page looks at some hundred consumers.</p>"))
            \(ConsolePage.next(list) { console.page("unreachable", query: filter + [$0]) })
            \(ConsolePage.export(session, console, file))
            """
        return console.response("Unreachable", session, .unreachable, content)
    }
}
