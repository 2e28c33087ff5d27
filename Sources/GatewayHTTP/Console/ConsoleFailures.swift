internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// The failures of a range of time, grouped by their reason.
enum ConsoleFailures {
    /// The maximum number of groups that are shown: the largest ones.
    private static let maxRows = 50

    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let range = try console.parameters(["since", "until"])
        let found = try await console.get(console.api("deliveries", "failures", query: range))
        let failed: Console.Parameter = ("state", "failed")
        let groups = found["items"].items
        let rows = groups.prefix(maxRows).map { group -> HTML in
            let reason = group["reason"].word
            let same: [Console.Parameter] = [failed, ("provider", group["provider"].word), ("reason", reason)] + range
            // A filter has at most so many bytes.
            let list: HTML = HTML.when(
                (1...100).contains(reason.utf8.count),
                #"<a href="\#(console.page("deliveries", query: same))">all</a>"#
            )
            return """
                <tr><th scope="row">\(group["count"])</th><td>\(group["provider"])</td><td>\(group["app"])</td>\
                <td>\(group["status"])</td><td>\(group["reason"])</td><td>\(group["firstAt"])</td>\
                <td>\(group["lastAt"])</td><td><a href="\(console.page("deliveries", group["example"].word))">\
                \(group["example"])</a> \(list)</td></tr>
                """
        }
        let columns = ["Failures", "Provider", "App", "Status", "Reason", "First", "Last", "Example"]
        let omitted = max(groups.count - maxRows, 0) + Int(found["omittedGroups"].number ?? 0)
        let mayReplay = !groups.isEmpty && session.allows(.deliveriesManage, in: console.brand)
        let isWhole = found["isWhole"] == .bool(true)
        let content: HTML = """
            <form id="filter" class="filter">\(ConsolePage.field("since", "Since (2026-01-02T03:04:05Z)", range[0].value))\
            \(ConsolePage.field("until", "Until", range[1].value))<p><button id="apply">Filter</button></p></form>
            \(try await ConsoleDeliveries.histogram(console, [failed] + range))
            <p id="count">Failures\(HTML.when(range[0].value.isEmpty, " of the last day")): \(found["count"])\
            \(HTML.when(!isWhole, ", the newest ones since \(found["oldestAt"])")).</p>
            \(ConsolePage.table("failure-list", "Failures by reason", columns, rows))
            \(HTML.when(omitted > 0, "<p>\(omitted) groups more.</p>"))
            \(HTML.when(mayReplay, ConsoleReplay.form(console, session.csrfToken, range)))
            """
        return console.response("Failures", session, .failures, content)
    }
}

/// The stream of deliveries, which a script shows.
enum ConsoleTail {
    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let filter = try console.parameters(ConsoleDeliveries.filters)
        let head = ["Changed", "Delivery", "State", "Consumer", "Device", "App", "Provider", "Response"]
            .map { #"<th scope="col">\#($0)</th>"# as HTML }
        let stream = console.api("deliveries", "tail", query: filter + [("unfinished", "true")])
        let content: HTML = """
            \(ConsoleDeliveries.form(console.page("tail"), filter))
            <noscript><p>This page needs script; the list of deliveries does not.</p></noscript>
            <p><button id="pause" type="button" aria-pressed="false">Pause</button> \
            <button id="clear" type="button">Clear</button> <span id="status" role="status"></span></p>
            <div class="scroll" role="region" aria-label="Deliveries as they change" tabindex="0">
            <table id="tail" data-stream="\(stream)" data-page="\(console.page("deliveries"))/">\
            <caption>Deliveries as they change</caption><thead><tr>\(head)</tr></thead><tbody></tbody></table></div>
            <p>The stream samples: each delivery is shown in its newest state, and states between may be skipped. Of \
            deliveries that wait it has the 100 newest.</p>
            \(ConsoleDeliveries.commands(console, filter, isStream: true))
            <script type="module" src="\(ConsoleAsset.path("tail.js"))"></script>
            """
        return console.response("Live", session, .tail, content)
    }
}
