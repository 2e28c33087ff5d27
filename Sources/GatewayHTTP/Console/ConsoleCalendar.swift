internal import Hummingbird
internal import TextFormats

/// The ends of a brand's certificates, credentials and keys, for its administrators.
enum ConsoleCalendar {
    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let cursor = try console.parameters(["cursor"], atMost: 2048)
        let list = try await console.get(console.api("calendar", query: cursor))
        let rows = list["items"].items.map { entry -> HTML in
            let due: HTML = HTML.when(entry["isDue"] == .bool(true), #" class="burning""#)
            let left = entry["expiry"].text.map { $0.replacing("_", with: " ") } ?? "without an end"
            return """
                <tr><th scope="row">\(entry["name"])</th><td>\(entry["credential"].text ?? entry["kind"].word)</td>\
                <td>\(entry["endsAt"])</td><td\(due)>\(left)</td><td>\(entry["since"])</td></tr>
                """
        }
        let columns = ["App or credential", "Kind", "Ends", "Time left", "In use since"]
        let content: HTML = """
            \(ConsolePage.table("calendar-list", "Certificates, credentials and keys by their ends", columns, rows))
            \(ConsolePage.next(list) { console.page("calendar", query: [$0]) })
            """
        return console.response("Calendar", session, .calendar, content)
    }
}
