import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import ProcessHarness
import Synchronization

/// Posts events in batches for the consumers of a range in turn.
final class BatchedEvents: Sendable {
    private let installation: Installation
    private let http: HTTPClient
    private let authorization: String
    private let consumers: Range<Int>
    private let posted = Mutex(0)

    init(_ installation: Installation, http: HTTPClient, authorization: String, consumers: Range<Int>) {
        self.installation = installation
        self.http = http
        self.authorization = authorization
        self.consumers = consumers
    }

    /// The number of posted events.
    var count: Int { posted.withLock { $0 } }

    /// Posts a batch.
    ///
    /// - Parameter count: The number of events.
    /// - Throws: ``HarnessError`` when the gateway rejects it.
    func post(_ count: Int) async throws {
        let first = posted.withLock { posted in
            defer { posted += count }
            return posted
        }
        let events = (first..<first + count).map { event in
            // The consumer of an event is its number modulo the consumers.
            let consumer = consumers.lowerBound + event % consumers.count
            return EventBodies.event(run: "batched\(event)", number: consumer, consumers: consumers.upperBound)
        }
        var request = HTTPClientRequest(url: installation.gateway.url + "/v1/brands/\(Installation.brand)/events")
        request.method = .POST
        request.headers.add(name: "authorization", value: authorization)
        request.headers.add(name: "content-type", value: "application/x-ndjson")
        request.body = .bytes(ByteBuffer(string: events.joined(separator: "\n") + "\n"))
        let response = try await http.execute(request, timeout: .seconds(60))
        _ = try await response.body.collect(upTo: 16 << 20)
        guard response.status == .accepted else { throw HarnessError("the gateway responded \(response.status)") }
    }

    /// Posts a tenth of a second's events ten times a second.
    ///
    /// - Parameters:
    ///   - seconds: The duration.
    ///   - rate: Events per second.
    /// - Throws: ``HarnessError`` when the gateway rejects some.
    func post(seconds: Int, rate: Int) async throws {
        let start = ContinuousClock.now
        for tenth in 0..<seconds * 10 {
            try await Task.sleep(until: start + .milliseconds(tenth * 100))
            try await post(rate / 10)
        }
    }
}
