import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness

/// The time until a lane sends at its full rate again after an outage of its provider of minutes, while events
/// continued.
///
/// Two cases: a provider that responds 503 to everything, and one that is silent with its connections open.
struct OutageScenario {
    /// The duration of the outage in seconds.
    var seconds: Int
    /// Events per second, before, during and after.
    var rate = 500.0

    /// The limit: seconds from the provider's return to the full rate.
    var limit = 5.0

    private static let consumers = 10_000
    /// The interval at which pushes are counted.
    private static let step = Duration.milliseconds(250)
    /// The number of intervals counted after the return.
    private static let steps = 120
    /// The fraction of the highest rate that counts as full, because a host's rate is never constant.
    private static let full = 0.8

    /// Runs it on fresh installations.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: An HTTP client.
    ///   - say: Prints the progress.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected.
    func run(group: any EventLoopGroup, http: HTTPClient, say: (String) -> Void) async throws -> Report {
        var report = Report()
        for isSilent in [false, true] {
            let name = "a provider \(isSilent ? "silent" : "answering 503") for \(seconds) s, events at \(Int(rate))/s"
            say("outage: \(name)")
            report.add(
                contentsOf: try await Installation.use(quiet: true) {
                    try await measure($0, isSilent: isSilent, name: name, group: group, http: http)
                }
            )
        }
        return report
    }

    private func measure(
        _ installation: Installation,
        isSilent: Bool,
        name: String,
        group: any EventLoopGroup,
        http: HTTPClient
    ) async throws -> Report {
        let authorization = try await installation.configure(http: http, consumers: Self.consumers)
        let load = EventLoad(
            port: installation.gateway.port,
            authorization: authorization,
            connections: 8,
            consumers: Self.consumers
        )
        _ = try await load.post(run: "warm", events: 1000, rate: rate, group: group)
        try await begin(installation, isSilent: isSilent, http)
        let events = Int(rate) * (seconds + Self.steps / 4)
        async let posted = load.post(run: "outage", events: events, rate: rate, group: group)
        try await Task.sleep(for: .seconds(seconds))
        try await end(installation, isSilent: isSilent, http)
        let counts = try await count(installation, http)
        _ = try await posted
        try await installation.waitForPushes(events + 1000, http)
        var report = Report()
        let perSecond = counts.indices.dropFirst(4).map { Double(counts[$0] - counts[$0 - 4]) }
        let highest = perSecond.max() ?? 0
        // The first full second started four steps before its count.
        let first = perSecond.firstIndex { $0 >= Self.full * highest } ?? perSecond.count
        report.add(name, "highest rate in the half minute after its return", highest, "pushes/s", atLeast: rate)
        let step = ProcessHarness.seconds(Self.step)
        report.add(name, "seconds to \(Int(Self.full * 100)) % of it", Double(first) * step, "s", atMost: limit)
        return report
    }

    private func begin(_ installation: Installation, isSilent: Bool, _ http: HTTPClient) async throws {
        if isSilent {
            installation.simulator.process.signal(SIGSTOP)
        } else {
            let rule = #"[{"match":{"provider":"apns"},"do":{"status":503,"reason":"ServiceUnavailable"}}]"#
            try await installation.simulator.setRules(rule, http)
        }
    }

    private func end(_ installation: Installation, isSilent: Bool, _ http: HTTPClient) async throws {
        if isSilent {
            installation.simulator.process.signal(SIGCONT)
        } else {
            try await installation.simulator.setRules("[]", http)
        }
    }

    /// Returns the number of accepted pushes at the end of each step after the provider's return.
    private func count(_ installation: Installation, _ http: HTTPClient) async throws -> [Int] {
        let start = ContinuousClock.now
        var counts = [try await installation.simulator.acceptedPushes(http)]
        for step in 1...Self.steps {
            try await Task.sleep(until: start + Self.step * step)
            counts.append(try await installation.simulator.acceptedPushes(http))
        }
        return counts
    }
}
