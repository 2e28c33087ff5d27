internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// Sends the failures of a period again, after a dry run.
enum ConsoleReplay {
    private static let filters: [BoundedName] = ["since", "until", "app", "provider", "reason"]
    /// The maximum number of requests for a form, and the deliveries of each.
    private static let (maxRequests, deliveries) = (5, "100")
    /// The maximum number of rows that are shown: those with the most deliveries.
    private static let maxRows = 50

    /// Returns the form that begins with the dry run.
    static func form(_ console: Console, _ token: String, _ range: [Console.Parameter]) -> HTML {
        """
        <h2>Send again</h2>
        <form id="replay-form" class="filter" method="post" action="\(console.page("failures", "replay"))">\
        \(ConsolePage.hidden("csrf", token))\(range.map { ConsolePage.hidden($0.name, $0.value) })\
        \(ConsolePage.field("app", "App"))\
        \(ConsolePage.choice("provider", "Provider", PushType.allCases.map(\.rawValue), ""))\
        \(ConsolePage.field("reason", "Provider's reason"))<p><button id="rehearse">Show what would be sent</button></p></form>
        """
    }

    /// Counts of a replay by what happened, in the order of their first delivery.
    private struct Counts {
        var rows: [(what: String, why: String, count: Int64)] = []

        private mutating func add(_ what: String, _ why: String, _ count: Int64) {
            let known = rows.firstIndex { $0.what.hasSameBytes(as: what) && $0.why.hasSameBytes(as: why) }
            if let known { rows[known].count += count } else { rows.append((what, why, count)) }
        }

        /// Adds a response of the API.
        mutating func add(_ page: StrictJSON, isDry: Bool) {
            for group in page["items"].items {
                let failure = ["provider", "app", "status", "reason"].map { group[$0].word.clipped(60) }
                let why = failure.filter { !$0.isEmpty }.joined(separator: " ")
                add(isDry ? "Would be sent again" : "Sent again", why, group["count"].number ?? 0)
            }
            for rejected in page["rejected"].items {
                add("Not sent", rejected["detail"].word, rejected["count"].number ?? 0)
            }
        }
    }

    @Sendable
    static func run(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let form = try await console.form()
        let token = try form.field("csrf")
        let isDry = try !form.field("dryRun").hasSameBytes(as: "false")
        var filter = try filters.map { name throws(Problem) -> Console.Parameter in (name.text, try form.field(name)) }
        var cursor = try form.field("cursor")
        var counts = Counts()
        var (examined, sent): (Int64, Int64) = (0, 0)
        var period: [Console.Parameter] = []
        for _ in 0..<maxRequests {
            let query = filter + [("dryRun", isDry ? "true" : "false"), ("limit", deliveries), ("cursor", cursor)]
            let path = console.api("deliveries", "replay", query: query)
            let page = try await console.send(.post, path, csrfToken: token).json
            if period.isEmpty { period = filters.prefix(2).map { ($0.text, page[$0].word) } }
            examined += page["examined"].number ?? 0
            sent += page["count"].number ?? 0
            counts.add(page, isDry: isDry)
            cursor = page["nextCursor"].word
            if cursor.isEmpty { break }
        }
        // What fails from now on is not sent by the confirmation of a dry run.
        if isDry { filter = period + filter.dropFirst(period.count) }
        let rows = counts.rows.sorted { $0.count > $1.count }.prefix(maxRows).map { row -> HTML in
            #"<tr><th scope="row">\#(String(row.count))</th><td>\#(row.what)</td><td class="text">\#(row.why)</td></tr>"#
        }
        let isMore = !cursor.isEmpty
        let sentence = "\(sent) of \(examined) failures \(isDry ? "would be" : "are") sent again."
        let hidden = filter + [("csrf", token), ("dryRun", "false"), ("cursor", isDry ? "" : cursor)]
        let next: HTML = """
            <form method="post" action="\(console.page("failures", "replay"))">\
            \(hidden.map { ConsolePage.hidden($0.name, $0.value) })\
            <p><button id="replay">\(isDry ? "Send these again" : "Continue with older ones")</button></p></form>
            """
        let content: HTML = """
            <p id="result" class="verdict">Failures queued from \(period[0].value) until before \(period[1].value). \(sentence)\
            \(HTML.when(isMore, " There may be older ones: a request handles some hundred."))</p>
            \(ConsolePage.table("replay-list", "What happens", ["Deliveries", "Result", "Why"], rows))
            \(HTML.when(counts.rows.count > maxRows, "<p>\(counts.rows.count - maxRows) rows more.</p>"))
            \(HTML.when(isDry ? sent > 0 || isMore : isMore, next))
            <p><a id="back" href="\(console.page("failures"))">Back to the failures</a></p>
            """
        return console.response(isDry ? "Send again: dry run" : "Send again", session, .failures, content)
    }
}
