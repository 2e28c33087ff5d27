import AsyncHTTPClient
import NIOCore
import ProcessHarness

extension Installation {
    /// Returns a metric of the gateway.
    ///
    /// - Parameters:
    ///   - name: Its name, with its labels.
    ///   - http: An HTTP client.
    /// - Returns: The value; 0 when the gateway does not export it.
    /// - Throws: An error when the gateway does not respond.
    func metric(_ name: String, _ http: HTTPClient) async throws -> Double {
        let request = HTTPClientRequest(url: gateway.url + "/metrics")
        let body = try await http.execute(request, timeout: .seconds(60)).body.collect(upTo: 16 << 20)
        let line = String(buffer: body).split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.utf8.count + 1)) } ?? 0
    }

    /// Waits until the gateway has done what a round has left to do, checkpoints above all, so that each round pays for
    /// its own: one that lasts longer, or follows a longer one, would pay also for what the one before it left.
    ///
    /// - Returns: What the gateway has used until then.
    /// - Throws: An error when it is not at rest after ten seconds.
    func usageAtRest() async throws -> ProcessUsage {
        var last = try ProcessUsage(pid: gateway.process.id)
        for _ in 0..<50 {
            try await Task.sleep(for: .milliseconds(200))
            let usage = try ProcessUsage(pid: gateway.process.id)
            if usage.cpuSeconds - last.cpuSeconds < 0.02 { return usage }
            last = usage
        }
        throw HarnessError("the gateway is not at rest ten seconds after a round")
    }
}
