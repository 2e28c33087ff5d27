import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import ProcessHarness

/// Posts single events at their due times, and measures the time until their pushes arrive at the provider.
struct TimedEvents {
    /// The installation that receives the events and the pushes.
    let installation: Installation
    /// An HTTP client with keep-alive connections.
    let http: HTTPClient
    /// The value of `authorization`.
    let authorization: String
    /// The number of consumers, which take turns.
    let consumers: Int
    private var arrivals: PushArrivals

    /// Creates a load.
    ///
    /// - Parameters:
    ///   - installation: The installation that receives the events and the pushes; its simulator must store pushes.
    ///   - http: An HTTP client.
    ///   - authorization: The value of `authorization`.
    ///   - consumers: The number of consumers, which take turns.
    init(_ installation: Installation, http: HTTPClient, authorization: String, consumers: Int) {
        self.installation = installation
        self.http = http
        self.authorization = authorization
        self.consumers = consumers
        arrivals = PushArrivals(installation, http: http)
    }

    /// Posts events and waits until their pushes have arrived.
    ///
    /// - Parameters:
    ///   - run: A prefix that is unique for the run.
    ///   - events: The number of events.
    ///   - rate: Events per second.
    ///   - start: The due time of the first.
    /// - Returns: The milliseconds from posting to arrival of each, with a precision of half a millisecond.
    /// - Throws: ``HarnessError`` when a request is rejected or a push is missing.
    mutating func latencies(
        run: String,
        events: Int,
        rate: Int,
        from start: ContinuousClock.Instant = .now
    ) async throws -> [Double] {
        let posted = try await post(run: run, events: events, rate: rate, from: start)
        try await arrivals.wait(for: posted.keys)
        let arrived = arrivals.times
        return posted.compactMap { message, sentAt in arrived[message].map { ($0 - sentAt) * 1e3 } }
    }

    /// Posts events.
    ///
    /// - Parameters:
    ///   - run: A prefix that is unique for the run.
    ///   - events: The number of events.
    ///   - rate: Events per second.
    ///   - start: The due time of the first.
    /// - Returns: The time at which each message was posted, in seconds since 1970.
    /// - Throws: ``HarnessError`` when a request is rejected.
    func post(
        run: String,
        events: Int,
        rate: Int,
        from start: ContinuousClock.Instant = .now
    ) async throws -> [String: Double] {
        try await withThrowingTaskGroup(of: (String, Double).self) { group in
            for number in 0..<events {
                // Each at another fraction of a millisecond: the simulator reports whole milliseconds, and the figure
                // would otherwise depend on the fraction of the first one.
                let part = number * 618 % 1000
                try await Task.sleep(until: start + .microseconds(number * 1_000_000 / rate + part))
                group.addTask { [self] in try await post(run: run, number: number) }
            }
            var posted: [String: Double] = [:]
            for try await (message, sentAt) in group { posted[message] = sentAt }
            return posted
        }
    }

    private func post(run: String, number: Int) async throws -> (String, Double) {
        let body = EventBodies.event(run: run, number: number, consumers: consumers)
        let sentAt = Date().timeIntervalSince1970
        let path = "/v1/brands/\(Installation.brand)/events"
        let response = try await installation.call(http, "POST", path, body, authorization: authorization)
        guard let result = (response["results"] as? [[String: Any]])?.first,
            let message = result["messageId"] as? String
        else { throw HarnessError("an event was not accepted") }
        return (message, sentAt)
    }
}
