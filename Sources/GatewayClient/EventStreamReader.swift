import HTTPTransfers

/// Follows a `text/event-stream` and reconnects when the connection breaks.
package struct EventStreamReader: Sendable {
    private let client: APIClient
    private let path: [String]
    private let query: [(String, String?)]

    /// The first pause before a new connection in seconds, doubled each time: a gateway restarts within a few.
    private static let firstPauseSeconds = 1.0
    private static let maxPauseSeconds = 30.0
    /// The time without bytes after which the connection counts as dead; heartbeats come more often.
    static let idleLimit = Duration.seconds(90)

    /// Creates a reader, which does not connect yet.
    package init(client: APIClient, path: [String], query: [(String, String?)]) {
        self.client = client
        self.path = path
        self.query = query
    }

    /// Passes every event to `take`; returns when `take` returns false.
    ///
    /// A broken connection is opened again and continues after the last event; `note` is called when it breaks, and for
    /// each new try.
    ///
    /// - Throws: ``CommandFailure`` when the gateway returns an error, or the response is not an event stream.
    package func follow(
        note: (String) -> Void,
        take: (StreamEvent) throws -> Bool
    ) async throws {
        var lastID: String?
        var pause = Self.firstPauseSeconds
        var isFirst = true
        while true {
            var asked: Double?
            let reason: String
            do {
                var parser = EventStreamParser()
                let body = try await connect(lastID)
                if !isFirst { note("reconnected") }
                isFirst = false
                for try await chunk in body {
                    for event in try parser.take(chunk) {
                        pause = Self.firstPauseSeconds
                        guard try take(event) else { return }
                    }
                    lastID = parser.lastEventID ?? lastID
                    asked = parser.retryMilliseconds.map { Double($0) / 1000 }
                }
                reason = "the gateway ended the stream"
            } catch let failure as Unavailable {
                asked = failure.retryAfterSeconds.map { Double($0) }
                reason = failure.text
            } catch is EventStreamParser.TooLong {
                throw CommandFailure(.failure, "\(client.server) does not send events: a line is too long")
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                // A gateway that was never reachable is an error at once; one that was reachable probably restarts.
                guard !isFirst else { throw CommandFailure(.failure, APIClient.noResponse(client.server, error)) }
                reason = "the connection to \(client.server) broke"
            }
            let seconds = max(asked ?? 0, pause)
            note("\(reason); trying again in \(seconds) s")
            try await Task.sleep(for: .seconds(seconds))
            pause = min(pause * 2, Self.maxPauseSeconds)
        }
    }

    /// The gateway responded that it is unavailable for now.
    private struct Unavailable: Error {
        var text: String
        var retryAfterSeconds: Int?
    }

    private func connect(_ lastID: String?) async throws -> TransferBody {
        var request = client.request("GET", path, query: query)
        request.headers.append(("accept", "text/event-stream"))
        if let lastID { request.headers.append(("last-event-id", lastID)) }
        let (head, body) = try await APIClient.http.stream(request)
        if head.status == 200 {
            let type = head.header("content-type") ?? "nothing"
            guard type.hasPrefix("text/event-stream") else { throw client.foreign(200, type) }
            return body
        }
        let collected = try await client.response(head, body)
        let isPassing = collected.status == 429 || collected.status >= 502
        guard isPassing else { throw client.rejection(collected) }
        throw Unavailable(text: APIClient.problem(collected), retryAfterSeconds: collected.retryAfter)
    }
}
