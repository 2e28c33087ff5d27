import AsyncHTTPClient
import Foundation
import ProcessHarness

/// The cost of a push for a sender in C: the reference for our figures, because hosts differ and change speed.
struct H2load {
    /// The text of the report when it is not installed.
    static let missing = "h2load (not installed: apt-get install nghttp2-client)"

    /// The number of streams that h2load opens before the server's first SETTINGS: nghttp2's default.
    ///
    /// APNs, and so the simulator, allows one until a push was accepted, and resets the others (REFUSED_STREAM).
    private static let streamsBeforeSettings = 100
    /// The number of streams, the same as our sender opens of the simulator's 1000.
    private static let streams = 900

    /// The cost of a run.
    struct Cost {
        /// CPU per request, user and system, without h2load's work before the first.
        var microseconds: Double
        /// Requests per second.
        var perSecond: Double
    }

    /// The target of the requests.
    var simulator: SimulatorProcess
    /// The directory of the body and the paths.
    var directory: TemporaryDirectory
    /// An HTTP client.
    var http: HTTPClient

    /// Posts pushes over one connection, to all devices in turn.
    ///
    /// - Parameters:
    ///   - requests: The number of requests.
    ///   - body: The body of each.
    ///   - headers: `name: value` except `authorization`, the same for all; empty uses those of an alert.
    /// - Returns: The cost of a request; nil when `h2load` is not installed.
    /// - Throws: ``HarnessError`` when a request is rejected.
    func cost(requests: Int, body: String, headers: [String] = []) async throws -> Cost? {
        guard let h2load = Programs.path(of: "h2load") else { return nil }
        let arguments = try arguments(body, headers)
        // h2load reads and prepares all paths first; this is not part of a request.
        let setUp = try await run(h2load, ["-n", "1"] + arguments)
        let earlier = try await simulator.acceptedPushes(http)
        let start = ContinuousClock.now
        let spent = try await run(h2load, ["-n", "\(requests)"] + arguments)
        let wall = seconds(ContinuousClock.now - start)
        let answered = try await simulator.acceptedPushes(http) - earlier
        guard answered > requests - Self.streamsBeforeSettings else {
            throw HarnessError("h2load had \(answered) of \(requests) requests accepted")
        }
        return Cost(microseconds: (spent - setUp) * 1e6 / Double(answered), perSecond: Double(answered) / wall)
    }

    /// Posts pushes at a rate over one connection.
    ///
    /// h2load sends due requests every 10 ms, and counts from the time when the headers are sent.
    ///
    /// - Parameters:
    ///   - rate: Requests per second.
    ///   - seconds: The duration, at least 1.
    ///   - body: The body of each.
    ///   - headers: `name: value` except `authorization`, the same for all.
    /// - Returns: The seconds that each request took, without those of the first half second; nil when `h2load` is not
    ///   installed.
    /// - Throws: ``HarnessError`` when a request is rejected.
    func latencies(rate: Int, seconds: Int, body: String, headers: [String]) async throws -> [Double]? {
        guard let h2load = Programs.path(of: "h2load") else { return nil }
        let log = directory.path("h2load.log")
        // h2load appends to the file.
        try? FileManager.default.removeItem(atPath: log)
        _ = try await run(
            h2load,
            ["-n", "\(rate * seconds)", "--rps", "\(rate)", "--log-file", log] + arguments(body, headers)
        )
        let rows = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap { line in
            let columns = line.split(separator: "\t").compactMap { Int($0) }
            return columns.count < 3 ? nil : (start: columns[0], status: columns[1], microseconds: columns[2])
        }
        let first = rows.lazy.map(\.start).min() ?? 0
        let counted = rows.filter { $0.start >= first + 500_000 }
        guard !counted.isEmpty, counted.allSatisfy({ $0.status == 200 }) else {
            throw HarnessError("a request of h2load was rejected")
        }
        return counted.map { Double($0.microseconds) / 1e6 }
    }

    /// Runs h2load; returns its CPU seconds.
    private func run(_ h2load: String, _ arguments: [String]) async throws -> Double {
        let before = Self.childrenCPUSeconds()
        let process = try ChildProcess(h2load, arguments)
        guard try await process.ended().status == 0 else {
            throw HarnessError("h2load failed: \(process.errors.joined(separator: "\n"))")
        }
        return Self.childrenCPUSeconds() - before
    }

    private func arguments(_ body: String, _ headers: [String]) throws -> [String] {
        let (bodyFile, paths) = (directory.path("body.json"), directory.path("paths"))
        try body.write(toFile: bodyFile, atomically: true, encoding: .utf8)
        let uris = (0..<JobMaker.devices).map { "\(simulator.apns)/3/device/\(Installation.token($0))\n" }
        try uris.joined().write(toFile: paths, atomically: true, encoding: .utf8)
        let identity = try simulator.identity()
        let others =
            headers.isEmpty
            ? [
                "apns-topic: \(identity.topic)", "apns-push-type: alert", "apns-priority: 10", "apns-expiration: 0",
                "apns-id: \(UUID().uuidString.lowercased())", "apns-collapse-id: \(UUID().uuidString.lowercased())",
            ] : headers
        return ["-c", "1", "-t", "1", "-m", "\(Self.streams)", "-d", bodyFile, "-i", paths]
            + (try ["authorization: bearer \(identity.providerToken())"] + others).flatMap { ["-H", $0] }
    }

    /// Returns the CPU time of ended child processes in seconds.
    private static func childrenCPUSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
