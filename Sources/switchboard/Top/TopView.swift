import GatewayClient
import GatewayModel

/// The view of a snapshot in lines of text, for a terminal of any width.
enum TopView {
    /// Returns the lines, each of at most `width` characters, which is at least 20.
    static func lines(_ snapshot: TopSnapshot, width: Int, now: Double) -> [String] {
        let width = max(width, 20)
        var lines = sections(snapshot, now: now).flatMap { flow($0.title, $0.parts, width, isStacked: width < 40) }
        lines.append("")
        lines += table(snapshot.providers.map(cells), providerColumns, width)
        if let lanes = snapshot.lanes {
            lines.append("")
            // Beside an id there is no room for a sentence there.
            lines += width < 60 ? lanes.flatMap { stack($0, width) } : table(lanes.map(cells), laneColumns, width)
            let canaries = lanes.compactMap { canary(of: $0, now: now) }
            if !canaries.isEmpty { lines += [""] + canaries.map { cut($0, width) } }
        }
        return lines
    }

    // MARK: Sections

    private static func sections(_ snapshot: TopSnapshot, now: Double) -> [(title: String, parts: [String])] {
        let gauge = { snapshot.gauges[$0] ?? 0 }
        var gateway = [snapshot.problem.map { "NOT READY: \(TextTable.printable($0))" } ?? "ready"]
        if snapshot.isClockGuarded { gateway.append("the clock may be wrong: nothing expires") }
        if gauge("startedAtSeconds") > 0 { gateway.append("up \(time(max(0, now - gauge("startedAtSeconds"))))") }
        gateway += [
            bytes(gauge("residentBytes")), "\(rate(snapshot.cores)) cores",
            "\(whole(gauge("openFiles"))) of \(whole(gauge("maxFiles"))) files",
        ]
        let events = ["accepted", "duplicate", "rejected", "overloaded"].map {
            "\(rate(snapshot.events[$0] ?? 0))/s \($0)"
        }
        let canaries = snapshot.canaries.sorted { $0.key < $1.key }.map { "\(whole($1)) \($0)" }
        return [
            ("gateway", gateway),
            ("events", events + ["\(whole(gauge("pendingEvents"))) pending"]),
            (
                "callers",
                [
                    "\(rate(snapshot.requests)) requests/s", "\(whole(gauge("connections"))) connections",
                    "\(whole(gauge("windows"))) windows", "\(rate(snapshot.windowFrames)) frames/s",
                ]
            ),
            (
                "store",
                [
                    "99 % within \(time(snapshot.slowestCommit))", "\(whole(snapshot.storeErrors)) errors",
                    "\(bytes(gauge("freeBytes"))) free",
                ]
            ),
            (
                "outbound",
                [
                    "\(rate(snapshot.outboundItems)) items/s", "\(whole(gauge("webhookLagItems"))) behind",
                    "\(whole(gauge("failingWebhooks"))) webhooks failing",
                ]
            ),
        ] + (canaries.isEmpty ? [] : [("canaries", canaries)])
    }

    /// Returns a title and parts in as many lines as they need; parts are not divided, but cut where one is too long.
    ///
    /// If `isStacked`, the title has a line of its own.
    private static func flow(_ title: String, _ parts: [String], _ width: Int, isStacked: Bool) -> [String] {
        let indent = isStacked ? "  " : String(repeating: " ", count: 10)
        var lines = isStacked ? [title, indent] : [title + indent.dropFirst(title.count)]
        var isEmpty = true
        for part in parts {
            let last = lines[lines.count - 1]
            if !isEmpty, last.count + 2 + part.count > width {
                lines.append(indent + part)
            } else {
                lines[lines.count - 1] = last + (isEmpty ? "" : "  ") + part
            }
            isEmpty = false
        }
        return lines.map { cut($0, width) }
    }

    /// Returns the last verdict on a lane's canary with its age; nil when the lane has none.
    private static func canary(of lane: JSONValue, now: Double) -> String? {
        let canary = lane["canary"]
        guard let condition = canary["condition"].string else { return nil }
        var words = ["canary", lane["id"].plain, condition]
        if let at = canary["attemptedAt"].string.flatMap(Timestamp.init(rfc3339:)) {
            words.append("\(time(max(0, now - Double(at.milliseconds) / 1000))) ago")
        }
        if condition != "accepted" { words.append(canary["sentence"].plain) }
        return TextTable.printable(words.joined(separator: "  "))
    }

    // MARK: Tables

    /// A column, and when it is left out: the lowest importance goes first.
    private typealias Column = (title: String, member: String, importance: Int)

    private static let providerColumns: [Column] = [
        ("PROVIDER", "provider", 9), ("ACCEPTED/S", "accepted", 8), ("OTHER/S", "other", 5), ("OLDEST", "oldest", 7),
        ("IN FLIGHT", "inFlight", 3), ("IN MEMORY", "rows", 4), ("HALF IN", "median", 2), ("99 % IN", "slowest", 6),
        ("CONNECTIONS", "connections", 1), ("STATE", "state", 9),
    ]

    private static let laneColumns: [Column] = [
        ("LANE", "id", 9), ("WAIT", "depth", 7), ("IN FLIGHT", "inFlight", 1), ("OLDEST", "oldest", 6),
        ("STATE", "sentence", 8),
    ]

    private static func cells(_ provider: TopSnapshot.Provider) -> JSONValue {
        [
            "provider": .string(provider.name), "accepted": .string(rate(provider.accepted)),
            "other": .string(rate(provider.other)), "oldest": .string(time(provider.oldestWait)),
            "inFlight": .integer(Int64(provider.inFlight)), "rows": .integer(Int64(provider.rows)),
            "median": .string(time(provider.median)), "slowest": .string(time(provider.slowest)),
            "connections": .integer(Int64(provider.connections)), "state": .string(provider.state),
        ]
    }

    private static func cells(_ lane: JSONValue) -> JSONValue {
        let depth: Int64 = lane["depth"].members.values.compactMap(\.integer).reduce(0, &+)
        let oldest = lane["oldestWaitSeconds"].integer.map { time(Double($0)) }
        let sentence = lane["sentence"].string ?? lane["state"].plain
        return [
            "id": lane["id"], "depth": .integer(depth), "inFlight": lane["inFlight"],
            "oldest": oldest.map { .string($0) } ?? .null, "sentence": .string(sentence),
        ]
    }

    /// Returns a lane in lines of its own.
    private static func stack(_ lane: JSONValue, _ width: Int) -> [String] {
        let cells = cells(lane)
        let parts = [
            "\(cells["depth"].plain) wait", "\(cells["inFlight"].plain) in flight", cells["oldest"].plain,
            cells["sentence"].plain,
        ]
        let texts = parts.filter { !$0.isEmpty }.map(TextTable.printable)
        return flow(TextTable.printable(cells["id"].plain), texts, width, isStacked: true)
    }

    /// Returns a table without the columns that do not fit; the last column is cut.
    private static func table(_ items: [JSONValue], _ columns: [Column], _ width: Int) -> [String] {
        var columns = columns
        while true {
            let text = TextTable(items, columns: columns.map { ($0.title, $0.member) }).text
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let isNarrow = lines.allSatisfy { $0.count <= width }
            // The text of the last column may be long: that alone is no reason to leave others out.
            let rest = TextTable(items, columns: columns.dropLast().map { ($0.title, $0.member) }).text
            let fits = rest.split(separator: "\n").allSatisfy { $0.count + 2 + minLastWidth <= width }
            guard !isNarrow, !fits, columns.count > 2,
                let least = columns.indices.min(by: { columns[$0].importance < columns[$1].importance })
            else { return lines.map { cut($0, width) } }
            columns.remove(at: least)
        }
    }

    /// The characters that a last column needs to be worth showing.
    private static let minLastWidth = 16

    private static func cut(_ line: String, _ width: Int) -> String {
        line.count <= width ? line : String(line.prefix(width - 1)) + "…"
    }

    // MARK: Numbers

    /// Returns a number of things.
    static func whole(_ value: Double) -> String { Int64(exactly: value.rounded()).map { "\($0)" } ?? "-" }

    /// Returns a rate with one decimal place as long as that says something.
    static func rate(_ value: Double) -> String {
        value < 100 ? "\(((value * 10).rounded()) / 10)" : whole(value)
    }

    /// Returns a duration given in seconds, in one unit; nil is none.
    static func time(_ seconds: Double?) -> String {
        guard let seconds else { return "-" }
        return switch seconds {
        case .infinity: "over a minute"
        case ..<1: "\(whole(seconds * 1000)) ms"
        case ..<120: "\(whole(seconds)) s"
        case ..<7200: "\(whole(seconds / 60)) min"
        case ..<172_800: "\(whole(seconds / 3600)) h"
        default: "\(whole(seconds / 86_400)) d"
        }
    }

    /// Returns a size, in MiB or GiB.
    static func bytes(_ value: Double) -> String {
        let mebibytes = value / 1_048_576
        return mebibytes < 10_000 ? "\(whole(mebibytes)) MiB" : "\(whole(mebibytes / 1024)) GiB"
    }
}
