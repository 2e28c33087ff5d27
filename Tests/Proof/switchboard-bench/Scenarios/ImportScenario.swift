import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ProcessHarness

/// The time and the memory of an import of devices, and the latency of a 202 meanwhile.
struct ImportScenario {
    /// The number of imported devices, each of another consumer.
    var devices: Int
    /// The number of events posted without the import, and again with it.
    var events: Int
    /// Events per second.
    var rate = 250.0
    /// The limit of the 99th percentile during the import as a multiple of that without.
    var ratioLimit = 3.0
    /// The limit of the time for a million devices, in seconds.
    var secondsLimit = 300.0
    /// The limit of the memory that the gateway needs in addition, in megabytes.
    var memoryLimit = 60.0

    private static let consumers = 500
    private static let connections = 16
    private static let linesPerRequest = 10_000

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: The HTTP client of unmeasured requests.
    ///   - say: Prints the progress.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected.
    func run(group: any EventLoopGroup, http: HTTPClient, say: (String) -> Void) async throws -> Report {
        try await Installation.use(quiet: true) { installation in
            let authorization = try await installation.configure(http: http, consumers: Self.consumers)
            let app = try installation.simulator.iOSApp(endpoint: nil)
            try await installation.call(http, "PUT", "/v1/brands/\(Installation.brand)/apps/imported", app)
            let load = EventLoad(
                port: installation.gateway.port,
                authorization: authorization,
                connections: Self.connections,
                consumers: Self.consumers
            )
            _ = try await load.post(run: "warm", events: 500, rate: rate, group: group)
            say("device-import: idle")
            let idle = try await load.post(run: "idle", events: events, rate: rate, group: group)
            let before = try ProcessUsage(pid: installation.gateway.process.id)
            say("device-import: \(devices) devices")
            async let busy = load.post(run: "busy", events: events, rate: rate, group: group)
            let start = ContinuousClock.now
            var created = 0
            for first in stride(from: 0, to: devices, by: Self.linesPerRequest) {
                let range = first..<min(first + Self.linesPerRequest, devices)
                created += try await importDevices(range, installation, http)
            }
            let duration = start.duration(to: .now)
            let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
            let after = try ProcessUsage(pid: installation.gateway.process.id)
            let during = try await busy
            var report = Report()
            let name = "\(devices) devices imported"
            report.add(name, "devices created", Double(created), "", atLeast: Double(devices))
            report.add(name, "time", seconds, "s", atMost: secondsLimit * Double(devices) / 1e6)
            let more = Double(after.peakResidentBytes - before.peakResidentBytes) / 1e6
            report.add(name, "peak memory, in addition", more, "MB", atMost: memoryLimit)
            report.add(name, "202 p99, idle", idle.percentile(0.99) * 1e3, "ms")
            report.add(name, "202 p99", during.percentile(0.99) * 1e3, "ms")
            let ratio = during.percentile(0.99) / idle.percentile(0.99)
            report.add(name, "p99 against idle", ratio, "x", atMost: ratioLimit)
            return report
        }
    }

    /// Imports devices in one request; returns how many were created.
    private func importDevices(
        _ numbers: Range<Int>,
        _ installation: Installation,
        _ http: HTTPClient
    ) async throws -> Int {
        var body = ByteBuffer()
        for number in numbers {
            body.writeString(
                #"{"consumer":"imported-\#(number)","app":"imported","deviceId":"imported-\#(number)","#
                    + #""token":"\#(Installation.token(10_000_000 + number))","pushType":"apns"}"# + "\n"
            )
        }
        let path = "/v1/brands/\(Installation.brand)/devices/import"
        var request = HTTPClientRequest(url: installation.gateway.url + path)
        request.method = .POST
        request.headers.add(name: "authorization", value: "Bearer \(installation.gateway.adminToken)")
        request.headers.add(name: "content-type", value: "application/x-ndjson")
        request.body = .bytes(body)
        let response = try await http.execute(request, timeout: .seconds(120))
        let text = try await response.body.collect(upTo: 16 << 20)
        guard response.status == .ok,
            let result = try JSONSerialization.jsonObject(with: Data(text.readableBytesView)) as? [String: Any]
        else { throw HarnessError("the gateway responded \(response.status)") }
        return result["created"] as? Int ?? 0
    }
}
