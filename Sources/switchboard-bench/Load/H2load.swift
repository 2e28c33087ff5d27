import AsyncHTTPClient
import Crypto
import Foundation
import ProcessHarness

/// What a push costs a sender in C: the measure beside which ours are read, because machines differ and change.
struct H2load {
    /// What a report says when there is none.
    static let missing = "h2load (not installed: apt-get install nghttp2-client)"

    /// How many streams h2load opens when it is quicker than the server's first SETTINGS: nghttp2's assumption.
    ///
    /// APNs, and so the simulator, allows one until a push was accepted, and refuses the others (REFUSED_STREAM).
    private static let streamsBeforeSettings = 100

    /// Where the requests go.
    var simulator: SimulatorProcess
    /// Where the body is kept.
    var directory: TemporaryDirectory
    /// A client.
    var http: HTTPClient

    /// Posts a push again and again over one connection.
    ///
    /// - Parameters:
    ///   - requests: How many.
    ///   - body: The push's body.
    /// - Returns: Microseconds of CPU a request; nil when `h2load` is not installed.
    /// - Throws: ``HarnessError`` when a request is refused.
    func microseconds(requests: Int, body: String) async throws -> Double? {
        guard let h2load = Self.path(of: "h2load") else { return nil }
        let earlier = try await simulator.acceptedPushes(http)
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
            ["-n", "\(requests)", "-c", "1", "-t", "1", "-m", "900", "-d", file]
                + headers.flatMap { ["-H", $0] } + ["\(simulator.apns)/3/device/\(Installation.token(1))"]
        )
        guard try await process.ended().status == 0 else {
            throw HarnessError("h2load failed: \(process.errors.joined(separator: "\n"))")
        }
        let answered = try await simulator.acceptedPushes(http) - earlier
        guard answered > requests - Self.streamsBeforeSettings else {
            throw HarnessError("h2load had \(answered) of \(requests) requests accepted")
        }
        return (Self.childrenCPUSeconds() - before) * 1e6 / Double(answered)
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
