import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Tests with one data directory whose master key is changed while no gateway runs.
protocol MasterKeyTests {
    /// The temporary directory.
    var directory: TemporaryDirectory { get }
}

extension MasterKeyTests {
    /// The data directory.
    var data: String { directory.path("data") }

    /// Runs a subcommand, which must not end by a signal.
    func run(
        _ arguments: [String]
    ) async throws -> (status: ProcessStatus?, output: [String], errors: String) {
        let process = try ChildProcess("switchboard", arguments)
        let exit = try await process.ended()
        #expect(!exit.isSignal)
        return (ProcessStatus(rawValue: exit.status), process.output, process.errors.joined(separator: "\n"))
    }

    /// Rotates and returns the report.
    func rotate(_ arguments: String...) async throws -> JSONValue {
        let result = try await run(["master-key", "rotate", "--data-dir", data, "--json"] + arguments)
        #expect(result.status == .ok, "\(result.errors)")
        return try JSONValue(parsing: Data((result.output.first ?? "null").utf8))
    }

    /// Returns the bytes of a key file in the data directory.
    func key(_ name: String = "master-key") throws -> Data {
        let text = try String(contentsOfFile: data + "/" + name, encoding: .utf8)
        return try #require(Data(base64Encoded: text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Counts the values in the database's files that a key has encrypted, as bytes or as numbers in JSON.
    func sealed(with key: Data) throws -> Int {
        let prefix = [1] + SHA256.hash(data: key).prefix(8)
        let text = prefix.map { String($0) }.joined(separator: ",") + ","
        return try ["", "-wal"].reduce(0) { count, end in
            let path = data + "/switchboard.sqlite" + end
            guard let contents = FileManager.default.contents(atPath: path) else { return count }
            return count + (try occurrences(of: Data(prefix), in: contents))
                + (try occurrences(of: Data(text.utf8), in: contents))
        }
    }

    private func occurrences(of part: Data, in whole: Data) throws -> Int {
        var (count, from) = (0, whole.startIndex)
        while let found = whole.range(of: part, in: from..<whole.endIndex) {
            (count, from) = (count + 1, found.upperBound)
        }
        return count
    }

    /// Creates a stopped gateway's data with an encrypted credential.
    func prepare() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call(
            "POST",
            ["v1", "brands", "acme", "credentials"],
            body: ["kind": "sdkKey", "name": "web"]
        )
        #expect(try await gateway.process.stop().status == 0)
    }

    /// Runs a rotation under `strace` that is killed on entry to the `number`-th call within a thread of some system
    /// calls.
    ///
    /// Returns whether it was killed; otherwise it finished, with fewer such calls.
    func killRotation(at calls: String, number: Int = 1) async throws -> Bool {
        let tracer = try ChildProcess(
            "/usr/bin/env",
            [
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
                "inject=\(calls):signal=SIGKILL:when=\(number)",
                ChildProcess.binaries.appending(path: "switchboard").path(), "master-key", "rotate", "--data-dir", data,
            ]
        )
        // The tracer exits like the traced process.
        switch try await tracer.ended() {
        case .init(status: SIGKILL, isSignal: true): return true
        case .init(status: 0, isSignal: false): return false
        case let exit: throw HarnessError("\(exit): \(tracer.errors.joined(separator: "\n"))")
        }
    }

    /// Starts a subcommand under `strace` and waits until it is stopped at its first call of a kind, with a path if one
    /// is given; `SIGCONT` resumes it.
    ///
    /// Returns the tracer, and the id of the stopped process.
    func hold(
        _ arguments: [String],
        at calls: String,
        path: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> (tracer: ChildProcess, process: Int32) {
        let tracer = try ChildProcess(
            "/usr/bin/env",
            ["strace", "-f", "-qq", "-o", "/dev/stderr", "-e", "trace=\(calls)"] + (path.map { ["-P", $0] } ?? []) + [
                "-e", "inject=\(calls):signal=SIGSTOP:when=1",
                ChildProcess.binaries.appending(path: "switchboard").path(),
            ] + arguments,
            environment: environment
        )
        let line = try await tracer.errorLine("stopped by SIGSTOP")
        let thread = try #require(line.split(separator: " ").first.flatMap { Int32($0) })
        // The thread that made the call may end before the process does; the id of the process stays.
        let status = try String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8).split(separator: "\n")
        let group = try #require(status.first { $0.hasPrefix("Tgid:") })
        return (tracer, try #require(group.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) }))
    }

    /// Returns the keys that are kept in the data directory for a reason in their names.
    func kept(_ why: String) throws -> [Data] {
        try FileManager.default.contentsOfDirectory(atPath: data).sorted()
            .filter { $0.hasPrefix("master-key.\(why)-") }.map { try key($0) }
    }
}
