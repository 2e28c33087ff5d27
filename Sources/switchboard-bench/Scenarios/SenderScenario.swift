import AsyncHTTPClient
import Crypto
import Foundation
import ProcessHarness

/// The sender alone: jobs in memory are rendered, submitted, answered and turned into outcomes; beside it `h2load` posts
/// the same body over one connection to the same server.
struct SenderScenario {
    /// How many notifications.
    var notifications: Int
    /// What must be reached: CPU a notification as a multiple of `h2load`'s a request in the same run.
    var ratioLimit: Double

    /// Runs both, one after the other, against one simulator.
    ///
    /// - Parameter http: A client.
    /// - Returns: The figures; without `h2load` only the sender's.
    /// - Throws: When a push is refused.
    func run(http: HTTPClient) async throws -> Report {
        let directory = try TemporaryDirectory()
        let simulator = try await SimulatorProcess.start(in: directory, quiet: true)
        do {
            let report = try await measure(simulator, directory, http)
            try await simulator.process.stop()
            return report
        } catch {
            _ = try? await simulator.process.stop()
            throw error
        }
    }

    private func measure(
        _ simulator: SimulatorProcess,
        _ directory: TemporaryDirectory,
        _ http: HTTPClient
    ) async throws -> Report {
        let sender = try ChildProcess(
            "switchboard-bench",
            ["sender", "--apns", simulator.apns, "--keys", simulator.keys, "--count", "\(notifications)"]
        )
        let line = "{" + (try await sender.line("{", within: .seconds(300)))
        try await sender.ended(within: .seconds(30))
        let result = try JSONDecoder().decode(SenderResult.self, from: Data(line.utf8))
        guard result.accepted == notifications else {
            throw HarnessError("only \(result.accepted) of \(notifications) pushes were accepted")
        }
        var report = Report()
        let name = "sender alone"
        let own = result.cpuSeconds * 1e6 / Double(notifications)
        report.add(name, "CPU a notification", own, "us")
        report.add(name, "notifications", Double(notifications) / result.wallSeconds, "pushes/s")
        report.add(name, "peak memory", Double(result.peakResidentBytes) / 1e6, "MB")
        guard let h2load = Self.path(of: "h2load") else {
            report.add(name, "h2load (not installed: apt-get install nghttp2-client)", 0, "")
            return report
        }
        let before = try await simulator.acceptedPushes(http)
        let other = try await runH2load(h2load, directory, simulator, body: result.body)
        let answered = try await simulator.acceptedPushes(http) - before
        guard answered >= notifications else {
            throw HarnessError("h2load had \(answered) of \(notifications) requests accepted")
        }
        let reference = other * 1e6 / Double(notifications)
        report.add(name, "h2load CPU a request", reference, "us")
        report.add(name, "ratio to h2load", own / reference, "x", atMost: ratioLimit)
        return report
    }

    /// CPU seconds of a whole `h2load` run with the sender's body and headers.
    private func runH2load(
        _ h2load: String,
        _ directory: TemporaryDirectory,
        _ simulator: SimulatorProcess,
        body: String
    ) async throws -> Double {
        let file = directory.path("body.json")
        try body.write(toFile: file, atomically: true, encoding: .utf8)
        let identity = try simulator.identity()
        let token = try Self.providerToken(identity)
        let headers = [
            "authorization: bearer \(token)", "apns-topic: \(identity.topic)", "apns-push-type: alert",
            "apns-priority: 10", "apns-expiration: 0", "apns-id: \(UUID().uuidString.lowercased())",
        ]
        let before = Self.childrenCPUSeconds()
        let process = try ChildProcess(
            h2load,
            ["-n", "\(notifications)", "-c", "1", "-t", "1", "-m", "900", "-d", file]
                + headers.flatMap { ["-H", $0] } + ["\(simulator.apns)/3/device/\(Installation.token(1))"]
        )
        guard try await process.ended().status == 0 else {
            throw HarnessError("h2load failed: \(process.errors.joined(separator: "\n"))")
        }
        return Self.childrenCPUSeconds() - before
    }

    /// CPU time of the children that have ended, in seconds.
    private static func childrenCPUSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func providerToken(_ identity: SimulatorIdentity) throws -> String {
        func encode(_ data: some DataProtocol) -> String {
            Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let key = try P256.Signing.PrivateKey(pemRepresentation: identity.privateKey)
        let header = encode(Data(#"{"alg":"ES256","kid":"\#(identity.keyID)"}"#.utf8))
        let claims = encode(Data(#"{"iss":"\#(identity.teamID)","iat":\#(Int(Date().timeIntervalSince1970))}"#.utf8))
        let signature = try key.signature(for: Data("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(encode(signature.rawRepresentation))"
    }
}

/// What the sender process reports, as one line of JSON.
struct SenderResult: Codable {
    /// CPU time from the first wake to the last outcome, in seconds.
    var cpuSeconds: Double
    /// Wall time of the same, in seconds.
    var wallSeconds: Double
    /// How many pushes were accepted.
    var accepted: Int
    /// The highest resident memory, in bytes.
    var peakResidentBytes: Int
    /// One body as it was sent.
    var body: String
}
