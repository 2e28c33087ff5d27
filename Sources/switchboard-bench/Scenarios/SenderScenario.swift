import AsyncHTTPClient
import Crypto
import Foundation

/// The sender alone: jobs in memory are rendered, submitted, answered and turned into outcomes; beside it `h2load` posts
/// the same body over one connection to the same server.
struct SenderScenario {
    /// How many notifications.
    var notifications: Int
    /// What must be reached: CPU a notification as a multiple of `h2load`'s a request in the same run.
    var ratioLimit: Double

    /// Runs both, one after the other, against one simulator.
    ///
    /// - Parameters:
    ///   - binaries: The folder of the built programs.
    ///   - http: A client.
    /// - Returns: The figures; without `h2load` only the sender's.
    /// - Throws: When a push is refused.
    func run(binaries: URL, http: HTTPClient) async throws -> Report {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("switchboard-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let (simulator, apns, control) = try await Installation.startSimulator(
            binaries: binaries,
            directory: directory,
            quiet: true
        )
        do {
            let report = try await measure(binaries, directory, apns: apns, control: "http://\(control)", http)
            await simulator.stop()
            try? FileManager.default.removeItem(at: directory)
            return report
        } catch {
            await simulator.stop()
            throw error
        }
    }

    private func measure(
        _ binaries: URL,
        _ directory: URL,
        apns: String,
        control: String,
        _ http: HTTPClient
    ) async throws -> Report {
        let certificates = Installation.certificates(in: directory)
        let sender = try ChildProcess(
            binaries.appendingPathComponent("switchboard-bench").path,
            ["sender", "--apns", apns, "--certificates", certificates.path, "--count", "\(notifications)"],
            logPath: directory.appendingPathComponent("sender.log").path
        )
        let line = try await sender.line(beginning: "{", within: 300)
        _ = await sender.waitUntilEnded(within: 30)
        let result = try JSONDecoder().decode(SenderResult.self, from: Data(line.utf8))
        guard result.accepted == notifications else {
            throw BenchmarkError("only \(result.accepted) of \(notifications) pushes were accepted")
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
        let before = try await Installation.acceptedPushes(http, control: control)
        let other = try await runH2load(h2load, directory, apns: apns, body: result.body)
        let answered = try await Installation.acceptedPushes(http, control: control) - before
        guard answered >= notifications else {
            throw BenchmarkError("h2load had \(answered) of \(notifications) requests accepted")
        }
        let reference = other * 1e6 / Double(notifications)
        report.add(name, "h2load CPU a request", reference, "us")
        report.add(name, "ratio to h2load", own / reference, "x", atMost: ratioLimit)
        return report
    }

    /// CPU seconds of a whole `h2load` run with the sender's body and headers.
    private func runH2load(_ h2load: String, _ directory: URL, apns: String, body: String) async throws -> Double {
        let certificates = Installation.certificates(in: directory)
        let file = directory.appendingPathComponent("body.json")
        try Data(body.utf8).write(to: file)
        let identity = try SimulatorIdentity(certificates: certificates)
        let pem = try String(contentsOf: certificates.appendingPathComponent("apns-key.p8"), encoding: .utf8)
        let token = try Self.providerToken(pem: pem, identity: identity)
        let headers = [
            "authorization: bearer \(token)", "apns-topic: \(identity.topic)", "apns-push-type: alert",
            "apns-priority: 10", "apns-expiration: 0", "apns-id: \(UUID().uuidString.lowercased())",
        ]
        let before = Self.childrenCPUSeconds()
        let process = try ChildProcess(
            h2load,
            ["-n", "\(notifications)", "-c", "1", "-t", "1", "-m", "900", "-d", file.path]
                + headers.flatMap { ["-H", $0] } + ["https://\(apns)/3/device/\(Installation.token(1))"],
            logPath: directory.appendingPathComponent("h2load.log").path
        )
        guard await process.waitUntilEnded(within: 300) == 0 else { throw BenchmarkError("h2load failed; see its log") }
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

    private static func providerToken(pem: String, identity: SimulatorIdentity) throws -> String {
        func encode(_ data: some DataProtocol) -> String {
            Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
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
