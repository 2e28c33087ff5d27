internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// The list of deliveries with its filters.
enum ConsoleDeliveries {
    /// The filters of the list, with the labels of their fields, and the words of which each is one.
    private static let fields: [(name: BoundedName, label: String, words: [String])] = [
        ("consumer", "Consumer", []), ("device", "Device", []), ("message", "Message", []),
        ("state", "State", DeliveryState.allCases.map(\.rawValue)),
        ("provider", "Provider", PushType.allCases.map(\.rawValue)),
        ("reason", "Reason", []), ("since", "Since (2026-01-02T03:04:05Z)", []), ("until", "Until", []),
    ]
    /// The names of the filters.
    static let filters = fields.map(\.name)
    /// The number of rows of a page, and of deliveries that the histogram counts: with more the page appears later.
    private static let (rows, counted) = ("20", "200")
    private static let csv: [Console.Parameter] = [("format", "csv")]

    @Sendable
    static func list(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let filter = try console.parameters(filters)
        let cursor = try console.parameters(["cursor"], atMost: 2048)
        let list = try await console.get(
            console.api("deliveries", query: filter + cursor + [("limit", Self.rows)])
        )
        let items = list["items"].items
        let content: HTML = """
            \(form(console.page("deliveries"), filter))
            \(try await histogram(console, filter))
            \(ConsolePage.table("delivery-list", "Deliveries, newest first", columns, items.map { row($0, console) }))
            \(ConsolePage.next(list) { console.page("deliveries", query: filter + [$0]) })
            \(ConsolePage.export(session, console, console.api("deliveries", "export", query: filter + csv)))
            \(commands(console, filter, isStream: false))
            """
        return console.response("Deliveries", session, .deliveries, content)
    }

    /// The columns of ``row(_:_:)``.
    static let columns = [
        "Delivery", "Queued", "State", "Consumer", "Device", "App", "Provider", "Attempts", "Response", "Latency, ms",
    ]

    private static func row(_ item: StrictJSON, _ console: Console) -> HTML {
        """
        <tr><th scope="row"><a href="\(console.page("deliveries", item["id"].word))">\(item["id"])</a></th>\
        <td>\(item["queuedAt"])</td><td class="state \(item["state"])">\(item["state"])</td><td>\(item["consumer"])</td>\
        <td>\(item["deviceId"])</td><td>\(item["app"])</td><td>\(item["provider"])</td><td>\(item["attempts"])</td>\
        <td>\(response(item))</td><td>\(item["latencyMs"])</td></tr>
        """
    }

    /// Returns the status and the reason of a delivery or an attempt.
    static func response(_ item: StrictJSON) -> String {
        let words = [item["status"], item["reason"], item["suppressedBy"]].map(\.word).filter { !$0.isEmpty }
        return words.isEmpty ? "–" : words.joined(separator: " ").clipped(60)
    }

    /// Returns the form of the filters; without script it leads to a URL with them.
    static func form(_ path: String, _ filter: [Console.Parameter]) -> HTML {
        let inputs = zip(fields, filter).map { field, parameter in
            field.words.isEmpty
                ? ConsolePage.field(field.name.text, field.label, parameter.value)
                : ConsolePage.choice(field.name.text, field.label, field.words, parameter.value)
        }
        return """
            <form id="filter" class="filter" action="\(path)">\(inputs)<p><button id="apply">Filter</button></p></form>
            """
    }

    /// The maximum length of the filters that are shown as commands, in bytes: a page is small.
    private static let maxCommandBytes = 512

    /// Returns the list, or its stream, as commands for a shell; nothing when its filters are long.
    static func commands(_ console: Console, _ filter: [Console.Parameter], isStream: Bool) -> HTML {
        let named = filter.filter { !$0.value.isEmpty }
        guard named.reduce(console.brand.utf8.count, { $0 + $1.value.utf8.count }) <= maxCommandBytes else { return "" }
        let options = named.map { " --\($0.name)=\(quoted($0.value))" }.joined()
        let command = "switchboard deliveries \(quoted(console.brand))\(isStream ? " --follow" : "")\(options)"
        let path =
            isStream ? console.api("deliveries", "tail", query: filter) : console.api("deliveries", query: filter)
        let token = #""Authorization: Bearer $SWITCHBOARD_ADMIN_TOKEN""#
        let curl = "curl \(isStream ? "-N " : "")-H \(token) " + #""$SWITCHBOARD_SERVER""# + quoted(path)
        return """
            <h2>As a command</h2>
            <pre id="command">\(command)</pre>
            <p><button id="copy-command" type="button" data-copy="command">Copy the command</button></p>
            <pre id="curl">\(curl)</pre>
            <p><button id="copy-curl" type="button" data-copy="curl">Copy curl</button></p>
            """
    }

    /// Returns a word of a shell's command: in quotes, unless every character is plain (POSIX.1-2024, XCU section 2.2.2).
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        let parts = word.byteSplit("'", omittingEmptySubsequences: false)
        return isPlain ? word : "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    // MARK: Histogram

    /// The number of bars.
    private static let bars = 16

    /// Returns a histogram over the newest deliveries of a filter; each bar, and each range of bars, leads to its deliveries.
    static func histogram(_ console: Console, _ filter: [Console.Parameter]) async throws -> HTML {
        let list = try await console.get(console.api("deliveries", query: filter + [("limit", counted)]))
        let items = list["items"].items.compactMap { item in
            Timestamp(rfc3339: item["queuedAt"].word)
                .map { (at: $0.milliseconds, isFailed: item["state"].word.hasSameBytes(as: "failed")) }
        }
        guard let first = items.map(\.at).min(), let last = items.map(\.at).max(), first < last else { return "" }
        let width = (last - first) / Int64(bars) + 1
        var counts = [(all: Int, failed: Int)](repeating: (0, 0), count: bars)
        for item in items {
            let bar = Int((item.at - first) / width)
            counts[bar].all += 1
            if item.isFailed { counts[bar].failed += 1 }
        }
        let most = counts.map(\.all).max() ?? 1
        let others = filter.filter { !$0.name.hasSameBytes(as: "since") && !$0.name.hasSameBytes(as: "until") }
        let shapes = counts.enumerated().map { index, count -> HTML in
            guard count.all > 0 else { return "" }
            let start = Timestamp(milliseconds: first + Int64(index) * width)
            let end = start.adding(milliseconds: width)
            let range: [Console.Parameter] = [("since", start.rfc3339), ("until", end.rfc3339)]
            let (height, failed) = (max(count.all * 56 / most, 2), count.failed * 56 / most)
            return """
                <a href="\(console.page("deliveries", query: others + range))">
                <title>\(start.rfc3339) to \(end.rfc3339): \(count.all) deliveries, \(count.failed) failed</title>
                <rect class="all" x="\(index * 20)" y="\(60 - height)" width="18" height="\(height)"/>
                <rect class="failed" x="\(index * 20)" y="\(60 - failed)" width="18" height="\(failed)"/></a>
                """
        }
        let failed = items.count(where: \.isFailed)
        return """
            <figure id="histogram"><svg viewBox="0 0 320 60" width="100%" height="60" preserveAspectRatio="none" \
            role="group" aria-labelledby="histogram-text" data-bars="\(bars)" data-first="\(String(first))" \
            data-width="\(String(width))" data-page="\(console.page("deliveries", query: others))">\(shapes)\
            <rect id="brush" class="brush" x="0" y="0" width="0" height="60"/></svg>
            <figcaption id="histogram-text">The newest \(items.count) deliveries of the filter, \
            \(Timestamp(milliseconds: first).rfc3339) to \(Timestamp(milliseconds: last).rfc3339); \(failed) failed.\
            </figcaption></figure>
            """
    }
}
