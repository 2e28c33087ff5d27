import ArgumentParser
import Foundation
import GatewayModel
import HTTPTransfers
import Logging
import NIOCore
import NIOPosix
import ProcessHarness
import PushPayloads
import PushProviders

/// The process of ``SenderScenario``: sends jobs from memory and prints the cost.
struct SenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sender",
        abstract: "Send notifications from memory to an APNs and print the cost as JSON (used by 'run').",
        shouldDisplay: false
    )

    @Option(help: "URL of the APNs.")
    var apns: String
    @Option(help: "The simulator's directory of certificates and credentials.")
    var keys: String
    @Option(help: "The number of notifications; with --rate the number of seconds.")
    var count: Int
    @Option(help: "The length of each body in bytes; default: not padded.")
    var bodyBytes: Int?
    @Option(help: "Notifications per second; default: as fast as possible.")
    var rate: Int?

    func run() async throws {
        let identity = try SimulatorIdentity(keys: keys)
        let app = AppSettings(
            platform: .ios,
            apns: APNsSettings(
                teamId: identity.teamID,
                keyId: identity.keyID,
                privateKey: identity.privateKey,
                topic: identity.topic,
                endpoints: APNsSettings.Endpoints(production: apns)
            )
        )
        let clock = SystemClock()
        let brand = Brand(
            id: BrandID(trusted: Installation.brand),
            name: "Bench",
            settings: BrandSettings(),
            createdAt: clock.now
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let trustRoots = keys + "/ca.pem"
        let http = TransferClient(trustRootsFile: trustRoots)
        let factory = try PushProviderFactory(
            eventLoopGroup: group,
            trustRootsFile: trustRoots,
            httpClient: http,
            clock: clock,
            logger: Logger(label: "bench")
        )
        let lane = LaneKey(brand: brand.id, app: AppID(trusted: "ios"), pushType: .apns, environment: .production)
        let renderer = APNsRenderer(brand: brand, topic: identity.topic)
        let now = clock.now
        let length = renderer.request(for: JobMaker(now: now).job(1), now: now).body.count
        let jobs = JobMaker(now: now, padding: max(0, (bodyBytes ?? 0) - length))
        var result = SenderResult()
        let sample = renderer.request(for: jobs.job(1), now: now)
        result.body = String(decoding: sample.body, as: UTF8.self)
        result.headers = sample.headers.map { "\($0.name): \($0.value)" }
        let provider: any PushProvider
        if let rate {
            let source = PacedJobSource(jobs, rate: rate, seconds: count)
            provider = try factory.make(lane: lane, app: app, brand: brand, source: source)
            let (accepted, latencies) = await source.run(provider, on: group.next())
            result.accepted = accepted
            result.expected = source.count
            result.p50Seconds = latencies.percentile(0.5)
            result.p99Seconds = latencies.percentile(0.99)
        } else {
            let source = JobSource(jobs, count: count)
            provider = try factory.make(lane: lane, app: app, brand: brand, source: source)
            let cpu = ProcessUsage.ownCPUSeconds()
            let start = ContinuousClock.now
            result.accepted = await source.run(provider)
            result.expected = count
            result.wallSeconds = seconds(ContinuousClock.now - start)
            result.cpuSeconds = ProcessUsage.ownCPUSeconds() - cpu
            result.acceptedByTime = source.acceptedByTime
        }
        result.peakResidentBytes = try ProcessUsage(pid: getpid()).peakResidentBytes
        await provider.shutdown(within: .seconds(5))
        await http.close(isCancelling: true)
        try await group.shutdownGracefully()
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }

    /// Prints why nothing is sent.
    ///
    /// - Parameter state: The provider's state.
    static func report(_ state: PushProviderState) {
        guard case .failed(_, let reason) = state else { return }
        FileHandle.standardError.write(Data("the provider failed: \(reason)\n".utf8))
    }
}

/// The result of the sender process, one line of JSON.
struct SenderResult: Codable {
    /// CPU time from the first wake to the last outcome, in seconds.
    var cpuSeconds = 0.0
    /// Wall time of the same, in seconds.
    var wallSeconds = 0.0
    /// The number of pushes sent.
    var expected = 0
    /// The number of accepted pushes.
    var accepted = 0
    /// The highest resident memory, in bytes.
    var peakResidentBytes = 0
    /// One body that was sent.
    var body = ""
    /// Its headers except `authorization`, as `name: value`.
    var headers: [String] = []
    /// The number of accepted pushes in each tenth of a second.
    var acceptedByTime: [Int] = []
    /// The median time from a push's due time to its response, of a paced run, in seconds.
    var p50Seconds = 0.0
    /// The 99th percentile of the same.
    var p99Seconds = 0.0

    /// Runs a sender and waits for its result.
    ///
    /// - Parameters:
    ///   - simulator: The target.
    ///   - count: The number of notifications, or of seconds with a rate.
    ///   - rate: Notifications per second; nil sends as fast as possible.
    ///   - bodyBytes: The length of each body; nil does not pad it.
    /// - Returns: Its result.
    /// - Throws: ``HarnessError`` when it ends early or a push is not accepted.
    static func run(
        _ simulator: SimulatorProcess,
        count: Int,
        rate: Int? = nil,
        bodyBytes: Int? = nil
    ) async throws -> SenderResult {
        let sender = try ChildProcess(
            "switchboard-bench",
            ["sender", "--apns", simulator.apns, "--keys", simulator.keys, "--count", "\(count)"]
                + (rate.map { ["--rate", "\($0)"] } ?? [])
                + (bodyBytes.map { ["--body-bytes", "\($0)"] } ?? [])
        )
        return try await read(sender)
    }

    /// Waits for the result of a sender.
    ///
    /// - Parameter process: The sender.
    /// - Returns: Its result.
    /// - Throws: ``HarnessError`` when it ends early or a push is not accepted.
    static func read(_ process: ChildProcess) async throws -> SenderResult {
        let line = "{" + (try await process.line("{", within: .seconds(300)))
        try await process.ended(within: .seconds(30))
        let result = try JSONDecoder().decode(SenderResult.self, from: Data(line.utf8))
        guard result.accepted == result.expected else {
            throw HarnessError("only \(result.accepted) of \(result.expected) pushes were accepted")
        }
        return result
    }
}
