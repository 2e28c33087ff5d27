import AsyncHTTPClient
import Foundation
import GatewayStorage
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import ProcessHarness

/// The latency of agents' messages while a campaign with a pace waits in the same lane, with a distant provider.
///
/// Two gateways; on one of them the campaign's pushes were stored before the first round. Their agents' events
/// alternate, so that other load of the host affects both equally.
struct CampaignScenario {
    /// The number of rounds.
    var rounds: Int
    /// The duration of one round in seconds.
    var seconds = 3
    /// Agents' events per second, to each gateway.
    var rate = 100
    /// The number of waiting proactive pushes.
    var pending: Int
    /// The campaign's pace in pushes per second: at most half of the host's batch rate.
    private(set) var pace = 10_000
    /// The delay of the provider's responses in milliseconds.
    var delay = 60

    /// The limit: the median as a multiple of that without the campaign.
    var medianLimit = 1.1
    /// The limit: the increase of the 99th percentile over that without the campaign, in milliseconds.
    var tailLimit = 5.0
    /// The lower limit: the campaign's pushes per second as a fraction of its pace.
    var paceFloor = 0.98

    private static let agents = 100
    private static let devices = 50_000

    /// Lowers the pace to half of the host's batch rate.
    ///
    /// - Parameter batchRate: Pushes a second of the batch scenario on this host; 0 leaves the pace as it is.
    mutating func limitPace(batchRate: Double) {
        guard batchRate > 0 else { return }
        pace = min(pace, Int(batchRate / 2))
    }

    /// Runs it on fresh installations.
    ///
    /// - Parameters:
    ///   - http: An HTTP client with keep-alive connections.
    ///   - say: Prints the progress.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a push is missing.
    func run(http: HTTPClient, say: (String) -> Void) async throws -> Report {
        try await Installation.use(quiet: true) { busy in
            try await Installation.use(quiet: true) { idle in
                var loads: [TimedEvents] = []
                for installation in [busy, idle] {
                    let authorization = try await installation.configure(http: http, consumers: Self.agents)
                    try await installation.delayResponses(milliseconds: delay, http)
                    loads.append(
                        TimedEvents(installation, http: http, authorization: authorization, consumers: Self.agents)
                    )
                }
                let settings = #"{"settings":{"campaignRatePerSecond":\#(pace)}}"#
                try await busy.call(http, "PATCH", "/v1/brands/\(Installation.brand)", settings)
                say("campaign: storing \(pending) pushes")
                let gateway = try await fill(busy)
                let result: Result<Report, any Error>
                do { result = .success(try await measure(loads, http)) } catch { result = .failure(error) }
                _ = try await gateway.process.stop(within: .seconds(60))
                return try result.get()
            }
        }
    }

    /// Stores the campaign while the gateway is stopped; starts it again on the same data.
    private func fill(_ installation: Installation) async throws -> GatewayProcess {
        let consumers = Self.agents + Self.devices
        return try await installation.changeData(consumers: consumers) { fixture in
            try await fixture.registerDevices(Self.agents..<consumers, app: Installation.iosApp)
            for first in stride(from: 0, to: pending, by: 500) {
                let (block, place) = first.quotientAndRemainder(dividingBy: Self.devices)
                let turn = fixture.turn(
                    run: "campaign",
                    first: block * consumers + Self.agents + place,
                    count: 500,
                    isOwned: false,
                    campaign: "spring"
                )
                _ = try await fixture.store.commit(turn)
            }
        }
    }

    private func measure(_ loads: [TimedEvents], _ http: HTTPClient) async throws -> Report {
        for load in loads { _ = try await load.post(run: "warm", events: seconds * rate, rate: rate) }
        let busy = loads[0].installation
        let begun = ContinuousClock.now
        let before = try await busy.simulator.acceptedPushes(http)
        var posted = [[String: Double]](repeating: [:], count: 2)
        for round in 0..<rounds {
            let first = ContinuousClock.now + .milliseconds(20)
            let half = Duration.microseconds(1_000_000 / (2 * rate))
            let (count, rate, run) = (seconds * rate, rate, "round\(round)")
            let (left, right) = (loads[0], loads[1])
            async let one = left.post(run: run, events: count, rate: rate, from: first + half * (round % 2))
            async let other = right.post(run: run, events: count, rate: rate, from: first + half * ((round + 1) % 2))
            let (a, b) = try await (one, other)
            posted[0].merge(a) { first, _ in first }
            posted[1].merge(b) { first, _ in first }
        }
        let accepted = try await busy.simulator.acceptedPushes(http) - before
        let wall = ProcessHarness.seconds(ContinuousClock.now - begun)
        var latencies: [[Double]] = []
        for (load, posted) in zip(loads, posted) { latencies.append(try await times(of: posted, load, http)) }
        return report(latencies, pushes: Double(accepted - rounds * seconds * rate) / wall)
    }

    private func report(_ latencies: [[Double]], pushes: Double) -> Report {
        var report = Report()
        let name = "a campaign of \(pending) at \(pace)/s, agents at \(rate)/s, provider \(delay) ms away"
        let (busy, idle) = (latencies[0], latencies[1])
        report.add(name, "agents, posted to sent, p50, without it", idle.median, "ms")
        report.add(name, "agents, posted to sent, p50", busy.median, "ms")
        report.add(name, "p50 against without it", busy.median / idle.median, "x", atMost: medianLimit)
        report.add(name, "agents, posted to sent, p99, without it", idle.percentile(0.99), "ms")
        report.add(name, "agents, posted to sent, p99", busy.percentile(0.99), "ms")
        let beyond = busy.percentile(0.99) - idle.percentile(0.99)
        report.add(name, "p99 beyond that without it", beyond, "ms", atMost: tailLimit)
        report.add(name, "campaign's pushes", pushes, "pushes/s")
        report.add(name, "campaign's pushes by its pace", pushes / Double(pace), "x", atLeast: paceFloor)
        return report
    }

    /// Returns the milliseconds from posting each message to its push, from the delivery log.
    private func times(of posted: [String: Double], _ load: TimedEvents, _ http: HTTPClient) async throws -> [Double] {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var times: [Double] = []
        for number in 0..<Self.agents {
            let path = "/v1/brands/\(Installation.brand)/deliveries?consumer=consumer-\(number)&limit=500"
            let page = try await load.installation.call(http, "GET", path)
            for item in page["items"] as? [[String: Any]] ?? [] {
                guard let message = item["messageId"] as? String, let postedAt = posted[message] else { continue }
                guard let sentAt = item["sentAt"] as? String else { throw HarnessError("a message was not sent") }
                times.append((try format.parse(sentAt).timeIntervalSince1970 - postedAt) * 1e3)
            }
        }
        guard times.count == posted.count else {
            throw HarnessError("the delivery log has \(times.count) of \(posted.count) messages")
        }
        return times
    }
}
