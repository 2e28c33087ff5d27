import Foundation
import GatewayClient

/// Posts the events of a file in batches, in order, with one batch in memory.
struct EventFile {
    /// The file's path; `-` is standard input.
    let path: String
    /// The brand's id.
    let brand: String
    /// The gateway, and the form in which results are printed.
    let options: ClientOptions
    /// Events per request, 1 to 10,000.
    let batch: Int
    /// Whether progress is printed even if standard error is not a terminal.
    let showsProgress: Bool

    /// Below the limit of 16 MiB for a request body.
    private static let maxBatchBytes = 8 << 20
    /// How often the same events are posted to an overloaded gateway before the command fails.
    private static let maxTries = 20

    /// The results of the events so far.
    private struct Tally {
        var accepted: Int64 = 0
        var duplicates: Int64 = 0
        var rejected: Int64 = 0
        var total: Int64 { accepted + duplicates + rejected }
    }

    /// Posts all events of the file.
    ///
    /// - Throws: ``CommandFailure`` when events were rejected, or the gateway returns an error or is unreachable.
    func send() async throws {
        let client = try options.client()
        var lines = try LineReader(path: path)
        var progress = Progress(isAsked: showsProgress)
        var tally = Tally()
        var waiting: [ArraySlice<UInt8>] = []
        var bytes = 0
        func flush() async throws {
            guard !waiting.isEmpty else { return }
            try await post(waiting, client, &tally)
            waiting = []
            bytes = 0
        }
        while let line = try lines.next() {
            // Blank lines, such as the last one, are not events.
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            if bytes + line.count > Self.maxBatchBytes { try await flush() }
            waiting.append(ArraySlice(Array(line)))
            bytes += line.count + 1
            if waiting.count == batch {
                try await flush()
                progress.say("\(tally.total) events posted, \(tally.rejected) rejected")
            }
        }
        try await flush()
        progress.say("\(tally.total) events posted, \(tally.rejected) rejected", isLast: true)
        if !options.json {
            StandardOutput.write(
                "accepted \(tally.accepted), duplicates \(tally.duplicates), rejected \(tally.rejected)"
            )
        }
        guard tally.rejected == 0 else {
            throw CommandFailure(.failure, "\(tally.rejected) of \(tally.total) events were rejected")
        }
    }

    /// Posts a batch; retries those that were rejected as `overloaded`, and all after them, to keep the order.
    private func post(_ lines: [ArraySlice<UInt8>], _ client: APIClient, _ tally: inout Tally) async throws {
        var left = lines
        for attempt in 1...Self.maxTries {
            var body: [UInt8] = []
            for line in left {
                body += line
                body.append(UInt8(ascii: "\n"))
            }
            let response = try await client.exchange("POST", ["v1", "brands", brand, "events"], lines: body)
            let isLast = attempt == Self.maxTries
            if response.status == 503 || response.status == 429, response.body["code"].string != nil, !isLast {
                try await Task.sleep(for: .seconds(min(max(response.retryAfter ?? 1, 1), 60)))
                continue
            }
            let results = try client.checked(response).body["results"].items
            guard results.count == left.count else {
                throw CommandFailure(.failure, "\(client.server) returned \(results.count) of \(left.count) results")
            }
            // Retry from the first overloaded event on: later events must not overtake it.
            let full = isLast ? nil : results.firstIndex { $0["problem"]["code"].string == "overloaded" }
            for (index, result) in results[..<(full ?? results.count)].enumerated() {
                take(result, line: left[index], &tally)
            }
            guard let full else { return }
            left = Array(left[full...])
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func take(_ result: JSONValue, line: ArraySlice<UInt8>, _ tally: inout Tally) {
        switch result["status"].string {
        case "accepted": tally.accepted += 1
        case "duplicate": tally.duplicates += 1
        default:
            tally.rejected += 1
            if !options.json {
                let problem = result["problem"]
                let members = problem["errors"].items.map { "\($0["pointer"].plain) \($0["detail"].plain)" }
                let detail = members.isEmpty ? problem["detail"].plain : members.joined(separator: "; ")
                StandardError.write("rejected \(result["id"].plain): \(TextTable.printable(detail))")
            }
        }
        if options.json { StandardOutput.write(result.text) }
    }
}
