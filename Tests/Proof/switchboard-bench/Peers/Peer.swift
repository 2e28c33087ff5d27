import Foundation
import ProcessHarness

/// A third-party sender with the same work as ours, in a separate process.
struct Peer {
    /// The name in the report.
    var name: String
    /// The number of pushes: slower peers send fewer.
    var pushes: Int
    /// The number of concurrent streams on its one connection.
    var streams: Int
    /// Prepares the program and its first arguments; throws an error with the reason when it is not available.
    var prepare: (TemporaryDirectory) async throws -> [String]

    /// The result that it prints, one line of JSON.
    struct Result: Codable {
        /// CPU time from the first push to the last response, user and system, in seconds.
        var cpuSeconds: Double
        /// Wall time of the same, in seconds.
        var wallSeconds: Double
        /// The number of accepted pushes.
        var accepted: Int
    }

    /// Returns all peers.
    ///
    /// - Parameter scale: The factor for the amount of load.
    /// - Returns: The peers.
    static func all(scale: Double) -> [Peer] {
        func scaled(_ count: Int) -> Int { max(Int(Double(count) * scale), 1000) }
        return [
            Peer(name: "Node http2", pushes: scaled(50_000), streams: 900, prepare: node),
            Peer(name: "AsyncHTTPClient", pushes: scaled(30_000), streams: 900, prepare: httpClient),
            Peer(name: "aioapns", pushes: scaled(10_000), streams: 100, prepare: aioapns),
        ]
    }

    /// Runs the peer.
    ///
    /// - Parameters:
    ///   - simulator: The target.
    ///   - directory: The directory for its files.
    ///   - sample: The result whose body it sends.
    /// - Returns: The cost.
    /// - Throws: ``HarnessError`` when it is not available or a push is not accepted.
    func run(_ simulator: SimulatorProcess, _ directory: TemporaryDirectory, _ sample: SenderResult) async throws
        -> Result
    {
        let command = try await prepare(directory)
        let body = directory.path("peer-body.json")
        try sample.body.write(toFile: body, atomically: true, encoding: .utf8)
        let token = try simulator.identity().providerToken()
        let process = try ChildProcess(
            command[0],
            command.dropFirst() + [simulator.apns, simulator.keys, token, body, "\(pushes)", "\(streams)"]
        )
        let line = "{" + (try await process.line("{", within: .seconds(120)))
        try await process.ended(within: .seconds(30))
        let result = try JSONDecoder().decode(Result.self, from: Data(line.utf8))
        guard result.accepted == pushes else {
            throw HarnessError("only \(result.accepted) of \(pushes) pushes were accepted")
        }
        return result
    }

    private static func node(_ directory: TemporaryDirectory) async throws -> [String] {
        guard let node = Programs.path(of: "node") else { throw HarnessError("not installed: apt-get install nodejs") }
        return [node, try write(PeerScripts.node, to: directory.path("peer.cjs"))]
    }

    private static func httpClient(_ directory: TemporaryDirectory) async throws -> [String] {
        ["switchboard-bench", "http-client-peer"]
    }

    private static func aioapns(_ directory: TemporaryDirectory) async throws -> [String] {
        guard let python = Programs.path(of: "python3") else { throw HarnessError("python3 is not installed") }
        let environment = directory.path("python")
        let steps = [
            [python, "-m", "venv", environment], [environment + "/bin/pip", "install", "-q", "aioapns==4.0"],
        ]
        for step in steps {
            let process = try ChildProcess(step[0], Array(step.dropFirst()))
            guard try await process.ended(within: .seconds(120)).status == 0 else {
                throw HarnessError("cannot be installed: \(process.errors.last ?? "")")
            }
        }
        return [environment + "/bin/python", try write(PeerScripts.aioapns, to: directory.path("peer.py"))]
    }

    private static func write(_ script: String, to path: String) throws -> String {
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}
