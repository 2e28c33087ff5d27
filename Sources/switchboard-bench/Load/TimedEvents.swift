import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import ProcessHarness

/// Single events to a gateway, each when its moment comes, and how long each took to become a push at the provider.
struct TimedEvents {
    /// Where the events go, and where their pushes arrive.
    let installation: Installation
    /// A client; its connections are kept alive.
    let http: HTTPClient
    /// The value of `authorization`.
    let authorization: String
    /// How many consumers take turns.
    let consumers: Int
    private var arrivals: PushArrivals

    /// Makes a load.
    ///
    /// - Parameters:
    ///   - installation: Where the events go, and where their pushes arrive; its simulator must keep pushes.
    ///   - http: A client.
    ///   - authorization: The value of `authorization`.
    ///   - consumers: How many consumers take turns.
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
    ///   - run: Tells the events from another run's.
    ///   - events: How many.
    ///   - rate: Events a second.
    ///   - start: When the first is due.
    /// - Returns: The milliseconds from posting to arrival of each, as exact as half a millisecond.
    /// - Throws: ``HarnessError`` when a request is refused or a push is missing.
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
    ///   - run: Tells the events from another run's.
    ///   - events: How many.
    ///   - rate: Events a second.
    ///   - start: When the first is due.
    /// - Returns: When each message was posted, in seconds since 1970.
    /// - Throws: ``HarnessError`` when a request is refused.
    func post(
        run: String,
        events: Int,
        rate: Int,
        from start: ContinuousClock.Instant = .now
    ) async throws -> [String: Double] {
        try await withThrowingTaskGroup(of: (String, Double).self) { group in
            for number in 0..<events {
                // Each at another part of a millisecond: the simulator tells whole ones, and a figure would else depend on
                // where in them the first one fell.
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
        let answer = try await installation.call(http, "POST", path, body, authorization: authorization)
        guard let result = (answer["results"] as? [[String: Any]])?.first,
            let message = result["messageId"] as? String
        else { throw HarnessError("an event was not accepted") }
        return (message, sentAt)
    }
}
