internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// How the pushes of a brand and of its apps meet its objective, in words and as bars.
enum ConsoleObjectives {
    /// The hours of a month of 30 days.
    private static let monthHours: Int64 = 720

    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let cursor = try console.parameters(["cursor"], atMost: 2048)
        let list = try await console.get(console.api("objectives", query: cursor))
        let items = list["items"].items
        let rows = items.map { item -> HTML in
            let app = item["app"].text ?? "All apps"
            let condition = item["condition"].word
            return """
                <tr><th scope="row">\(app)</th><td class="state \(condition)">\(condition)</td>\
                <td class="text">\(words(item))</td><td>\(bar(item, of: app))</td>\
                <td>\(item["slow"]["burnRate"])</td><td>\(item["fast"]["burnRate"])</td></tr>
                """
        }
        let incomplete = items.first?["incompleteBefore"].text
        let hour = console.call.services.clock.now.adding(seconds: -3600)
        let columns = [
            "App", "Condition", "In words", "Accepted in time", "Burn rate of the hour", "Burn rate of 5 minutes",
        ]
        let none: HTML = """
            <p>The brand has no objective. An administrator sets one with the setting <code>objective</code>.</p>
            """
        let content: HTML = """
            \(items.first.map { #"<p id="target" class="verdict">\#(target(of: $0))</p>"# } ?? none)
            \(incomplete.map { Self.incomplete(from: hour.rfc3339, to: $0) } ?? "")
            \(ConsolePage.table("objective-list", "The last hour, by app", columns, rows))
            \(ConsolePage.next(list) { console.page("objectives", query: [$0]) })
            """
        return console.response("Objectives", session, .objectives, content)
    }

    /// Returns for which part of the last hour nothing was counted.
    private static func incomplete(from hour: String, to start: String) -> HTML {
        """
        <p id="incomplete">Statistics incomplete from \(hour) to \(start): the gateway was started then, and counts since.</p>
        """
    }

    private static func target(of item: StrictJSON) -> String {
        """
        The objective: \(item["percent"].word) % of the pushes of agents' messages are accepted by their providers within \
        \(seconds(item)).
        """
    }

    private static func seconds(_ item: StrictJSON) -> String {
        item["withinSeconds"].number == 1 ? "a second" : "\(item["withinSeconds"].word) seconds"
    }

    /// The pushes of the last hour, and the share that may be late, in per cent; nil without a push.
    private static func sums(_ item: StrictJSON) -> (inTime: Int64, all: Int64, percent: Int64)? {
        guard let inTime = item["slow"]["inTime"].number, let late = item["slow"]["late"].number, inTime + late > 0,
            let percent = item["percent"].number, percent < 100
        else { return nil }
        return (inTime, inTime + late, percent)
    }

    /// Returns what the last hour means.
    static func words(_ item: StrictJSON) -> String {
        guard let (inTime, all, percent) = sums(item) else { return "There was no push in the last hour." }
        let share = "\(decimal(inTime * 1000 / all, digits: 1)) % were accepted within \(seconds(item))."
        // Per cent of the late pushes that a month may have, in hundredths.
        let used = (all - inTime) * 1_000_000 / (all * (100 - percent) * monthHours)
        let budget = "% of the month's error budget used each hour."
        if inTime == all { return share + " 0 \(budget)" }
        return share + (used == 0 ? " Less than 0.01 \(budget)" : " \(decimal(used, digits: 2)) \(budget)")
    }

    /// Returns a number of tenths or hundredths as text.
    private static func decimal(_ number: Int64, digits: Int) -> String {
        let unit: Int64 = digits == 1 ? 10 : 100
        let rest = String(number % unit)
        return "\(number / unit)." + String(repeating: "0", count: digits - rest.utf8.count) + rest
    }

    /// Returns the share of pushes in time as a bar, with a mark at the objective.
    private static func bar(_ item: StrictJSON, of app: String) -> HTML {
        guard let (inTime, all, percent) = sums(item) else { return "–" }
        let (width, target) = (Int(inTime * 200 / all), Int(percent * 2))
        return """
            <svg class="bar" viewBox="0 0 200 16" width="200" height="16" role="img" \
            aria-label="\(app): \(String(inTime)) of \(String(all)) in time">\
            <rect class="all" x="0" y="2" width="\(width)" height="12"/>\
            <rect class="failed" x="\(width)" y="2" width="\(200 - width)" height="12"/>\
            <rect class="target" x="\(target - 1)" y="0" width="2" height="16"/></svg> \(String(inTime)) of \(String(all))
            """
    }
}
