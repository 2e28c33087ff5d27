import Foundation
import GatewayClient

/// Sends the devices of an export to the gateway in batches, with one batch in memory.
struct DeviceImporter {
    /// The gateway; nil sends nothing.
    let client: APIClient?
    /// The brand's id.
    let brand: String
    /// Whether each result is printed as a line of JSON.
    let printsJSON: Bool
    /// The export's size; 0 when it is not known.
    let size: Int

    /// The lines of a request: enough that requests cost nothing, few enough that each takes a second or two.
    private static let linesPerRequest = 2000
    /// Below the limit of 16 MiB for a request body.
    private static let bytesPerRequest = 8 << 20
    /// How often the same lines are sent to an overloaded gateway before the command fails.
    private static let maxTries = 20

    private var waiting: [(number: Int, line: [UInt8])] = []
    private var (waitingBytes, read) = (0, 0)
    private var (created, kept, skipped, rejected) = (0, 0, 0, 0)
    private var taken = 0
    private var progress = Progress(isAsked: false)

    init(client: APIClient?, brand: String, printsJSON: Bool, size: Int) {
        self.client = client
        self.brand = brand
        self.printsJSON = printsJSON
        self.size = size
    }

    /// Takes the next device of the export.
    mutating func take(_ number: Int, bytes: Int, _ device: ExportedDevice) async throws {
        read += bytes
        switch device {
        case .line(let line):
            if waitingBytes + line.count > Self.bytesPerRequest { try await flush() }
            waiting.append((number, line))
            waitingBytes += line.count + 1
            if waiting.count == Self.linesPerRequest { try await flush() }
        case .skipped(let reason):
            skipped += 1
            report(number, "skipped", reason)
        case .rejected(let reason):
            rejected += 1
            report(number, "rejected", reason)
        }
        taken += 1
        if taken.isMultiple(of: 500) { showProgress() }
    }

    /// Sends what waits, and prints the totals; throws ``CommandFailure`` when lines were rejected.
    mutating func finish() async throws {
        try await flush()
        showProgress(isLast: true)
        let totals = "\(client == nil ? "readable" : "created") \(created), kept \(kept), skipped \(skipped), "
        if !printsJSON { StandardOutput.write(totals + "rejected \(rejected)") }
        guard rejected == 0 else { throw CommandFailure(.failure, "\(rejected) devices were rejected") }
    }

    /// Prints the progress, as a bar when the export's size is known.
    private mutating func showProgress(isLast: Bool = false) {
        var text = "\(created + kept) devices, \(skipped) skipped, \(rejected) rejected"
        if size > 0 {
            let percent = isLast ? 100 : min(read * 100 / size, 100)
            let bar = String(repeating: "#", count: percent / 5) + String(repeating: "-", count: 20 - percent / 5)
            text = "[\(bar)] \(percent) %, \(text)"
        }
        progress.say(text, isLast: isLast)
    }

    /// Sends the lines that wait; those that an overloaded gateway rejects are sent again: an import may be repeated.
    private mutating func flush() async throws {
        defer { (waiting, waitingBytes) = ([], 0) }
        guard let client else {
            for entry in waiting { append(entry.number, "readable", .null) }
            return
        }
        for attempt in 1...Self.maxTries where !waiting.isEmpty {
            let isLast = attempt == Self.maxTries
            var body: [UInt8] = []
            for entry in waiting {
                body += entry.line
                body.append(UInt8(ascii: "\n"))
            }
            let response = try await client.exchange("POST", ["v1", "brands", brand, "devices", "import"], lines: body)
            if response.status == 503 || response.status == 429, response.body["code"].string != nil, !isLast {
                try await Task.sleep(for: .seconds(min(max(response.retryAfter ?? 1, 1), 60)))
                continue
            }
            let results = try client.checked(response).body["results"].items
            guard results.count == waiting.count else {
                throw CommandFailure(.failure, "\(client.server) returned \(results.count) of \(waiting.count) results")
            }
            var again: [(number: Int, line: [UInt8])] = []
            for (entry, result) in zip(waiting, results) {
                if result["problem"]["retryable"] == .bool(true), !isLast {
                    again.append(entry)
                } else {
                    append(entry.number, result["status"].string ?? "rejected", result["problem"])
                }
            }
            waiting = again
            if !again.isEmpty { try await Task.sleep(for: .seconds(1)) }
        }
    }

    private mutating func append(_ number: Int, _ status: String, _ problem: JSONValue) {
        switch status {
        case "created", "readable": created += 1
        case "kept": kept += 1
        default: rejected += 1
        }
        let members = problem["errors"].items.map { "\($0["pointer"].plain) \($0["detail"].plain)" }
        let detail = members.isEmpty ? problem["detail"].plain : members.joined(separator: "; ")
        report(number, status, detail)
    }

    private func report(_ number: Int, _ status: String, _ detail: String) {
        if printsJSON {
            var members: [String: JSONValue] = ["line": .integer(Int64(number)), "status": .string(status)]
            if !detail.isEmpty { members["detail"] = .string(detail) }
            StandardOutput.write(JSONValue.object(members).text)
        } else if status == "rejected" {
            StandardError.write("rejected line \(number): \(TextTable.printable(detail))")
        }
    }
}
