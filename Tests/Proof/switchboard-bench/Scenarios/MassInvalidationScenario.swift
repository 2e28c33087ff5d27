import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ProcessHarness

/// A provider that reports every device as unregistered for a while: how soon the lane is suspended, and what is lost.
struct MassInvalidationScenario {
    /// The number of devices, each of a consumer with one event.
    var devices: Int
    /// The time in seconds for which the provider reports them as unregistered.
    var seconds: Double
    /// Events per second during that time, or until each consumer had one.
    private var rate: Int { max(devices / 20, 10) }

    /// The limit: the time from the first event to the alarm, in seconds.
    var alarmLimit = 5.0

    private static let gone = #"[{"match":{"provider":"apns"},"do":{"status":410,"reason":"Unregistered"}}]"#

    /// Runs it on a fresh installation.
    ///
    /// - Parameter http: An HTTP client.
    /// - Returns: The figures.
    /// - Throws: An error when the gateway rejects a request, or the lane is not suspended or not resumed.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: true) { try await measure($0, http) }
    }

    private func measure(_ installation: Installation, _ http: HTTPClient) async throws -> Report {
        let authorization = try await installation.configure(http: http, consumers: devices)
        try await installation.simulator.setRules(Self.gone, http)
        let events = BatchedEvents(installation, http: http, authorization: authorization, consumers: 0..<devices)
        let start = ContinuousClock.now
        let (devices, rate) = (devices, rate)
        async let posting: Void = events.post(seconds: (devices + rate - 1) / rate, rate: rate)
        try await wait(installation, http, isSuspended: true)
        let alarm = ProcessHarness.seconds(ContinuousClock.now - start)
        try await posting
        try await Task.sleep(until: start + .seconds(seconds))
        let early = try await installation.simulator.acceptedPushes(http)
        try await installation.simulator.setRules("[]", http)
        let well = ContinuousClock.now
        try await wait(installation, http, isSuspended: false)
        let again = ProcessHarness.seconds(ContinuousClock.now - well)
        let arrived = try await lastArrival(of: events.count, installation, http)
        let all = ProcessHarness.seconds(arrived - well)
        let accepted = try await installation.simulator.acceptedPushes(http)
        let lost = try await lostDevices(installation, http, authorization)
        var report = Report()
        let name = "\(devices) devices called gone for \(Int(seconds)) s"
        report.add(name, "first event to alarm", alarm, "s", atMost: alarmLimit)
        report.add(name, "pushes that were accepted meanwhile", Double(early), "", atMost: 0)
        report.add(name, "provider well to lane sending again", again, "s", atMost: 10)
        report.add(name, "provider well to last push accepted", all, "s")
        report.add(name, "registrations lost", Double(lost), "", atMost: 0)
        report.add(name, "pushes lost", Double(events.count - accepted), "", atMost: 0)
        return report
    }

    /// Waits for the gauge of suspended lanes.
    private func wait(_ installation: Installation, _ http: HTTPClient, isSuspended: Bool) async throws {
        let line = "switchboard_delivery_suspended_lanes{provider=\"apns\"} \(isSuspended ? 1 : 0)\n"
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let request = HTTPClientRequest(url: installation.gateway.url + "/metrics")
            let body = try await http.execute(request, timeout: .seconds(30)).body.collect(upTo: 16 << 20)
            if String(buffer: body).contains(line) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("the lane was not \(isSuspended ? "suspended" : "resumed") within a minute")
    }

    /// Waits until all pushes were accepted, or none was for five seconds.
    private func lastArrival(of count: Int, _ installation: Installation, _ http: HTTPClient) async throws
        -> ContinuousClock.Instant
    {
        var last = (count: 0, at: ContinuousClock.now)
        while last.count < count, ContinuousClock.now - last.at < .seconds(5) {
            let accepted = try await installation.simulator.acceptedPushes(http)
            if accepted != last.count { last = (accepted, .now) }
            try await Task.sleep(for: .milliseconds(20))
        }
        return last.at
    }

    private func lostDevices(_ installation: Installation, _ http: HTTPClient, _ authorization: String) async throws
        -> Int
    {
        var lost = 0
        for number in 0..<devices {
            let device = "device-\(number)?consumer=consumer-\(number)"
            let path = "/v1/brands/\(Installation.brand)/apps/\(Installation.iosApp)/devices/\(device)"
            var request = HTTPClientRequest(url: installation.gateway.url + path)
            request.headers.add(name: "authorization", value: authorization)
            let response = try await http.execute(request, timeout: .seconds(30))
            _ = try await response.body.collect(upTo: 1 << 20)
            if response.status != .ok { lost += 1 }
        }
        return lost
    }
}
