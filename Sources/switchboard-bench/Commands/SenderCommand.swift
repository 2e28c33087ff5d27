import ArgumentParser
import AsyncHTTPClient
import Foundation
import GatewayModel
import Logging
import NIOCore
import NIOPosix
import ProcessHarness
import PushPayloads
import PushProviders
import Synchronization

/// The process of ``SenderScenario``: sends jobs from memory and prints what that cost.
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
    @Option(help: "How many notifications.")
    var count: Int
    @Option(help: "Make each body this long, in bytes; as it comes without.")
    var bodyBytes: Int?

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
        let http = HTTPClient(
            eventLoopGroup: group,
            configuration: PushProviderFactory.httpClientConfiguration(trustRootsFile: trustRoots)
        )
        let factory = try PushProviderFactory(
            eventLoopGroup: group,
            trustRootsFile: trustRoots,
            httpClient: http,
            clock: clock,
            logger: Logger(label: "bench")
        )
        let renderer = APNsRenderer(brand: brand, topic: identity.topic)
        let now = clock.now
        let length = renderer.request(for: JobSource(count: 1, now: now).job(1), now: now).body.count
        let source = JobSource(count: count, now: now, padding: max(0, (bodyBytes ?? 0) - length))
        let lane = LaneKey(brand: brand.id, app: AppID(trusted: "ios"), pushType: .apns, environment: .production)
        let provider = try factory.make(lane: lane, app: app, brand: brand, source: source)

        let cpu = ProcessUsage.ownCPUSeconds()
        let start = ContinuousClock.now
        let accepted = await withCheckedContinuation { continuation in
            source.start { continuation.resume(returning: $0) }
            provider.wake()
        }
        let wall = seconds(ContinuousClock.now - start)
        let spent = ProcessUsage.ownCPUSeconds() - cpu
        let sample = renderer.request(for: source.job(1), now: clock.now).body
        let result = SenderResult(
            cpuSeconds: spent,
            wallSeconds: wall,
            accepted: accepted,
            peakResidentBytes: try ProcessUsage(pid: getpid()).peakResidentBytes,
            body: String(decoding: sample, as: UTF8.self),
            acceptedByTime: source.acceptedByTime
        )
        await provider.shutdown(within: .seconds(5))
        try await http.shutdown()
        try await group.shutdownGracefully()
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}

/// Jobs from memory, each to a device of its own; counts what was accepted.
private final class JobSource: PushSource {
    private struct State {
        var handedOut = 0
        var answered = 0
        var accepted = 0
        var whenDone: (@Sendable (Int) -> Void)?
        var start = ContinuousClock.now
        var acceptedByTime: [Int] = []
    }

    private let count: Int
    private let messages: [Message]
    private let expiresAt: Timestamp
    private let state = Mutex(State())

    init(count: Int, now: Timestamp, padding: Int = 0) {
        self.count = count
        let padding = String(repeating: "x", count: padding)
        expiresAt = now.adding(seconds: 3600)
        var ids = MessageIDGenerator()
        messages = (0..<1000).map { number in
            var event = AgentEvent(
                id: EventID(trusted: "e\(number)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "consumer-\(number)")
            )
            event.text = "Your order has shipped and will be with you tomorrow between nine and eleven." + padding
            event.agentNickname = "Dana"
            event.agentID = "8500.2001"
            event.sound = "default"
            return Message(
                PostedEvent(event, ids.next(at: now)),
                brand: BrandID(trusted: Installation.brand),
                conversation: ConversationID(trusted: "conversation-\(number)"),
                sequence: Int64(number + 1),
                acceptedAt: now,
                expiresAt: now.adding(seconds: 3600)
            )
        }
    }

    func start(whenDone: @escaping @Sendable (Int) -> Void) {
        state.withLock { state in
            state.whenDone = whenDone
            state.start = .now
        }
    }

    /// How many were accepted in each tenth of a second since the start.
    var acceptedByTime: [Int] { state.withLock { $0.acceptedByTime } }

    func job(_ number: Int) -> PushJob {
        PushJob(
            delivery: DeliveryID(Int64(number)),
            registration: RegistrationID(Int64(number)),
            token: Installation.token(number),
            platform: .ios,
            message: messages[number % messages.count],
            badge: Int64(number % 10 + 1),
            expiresAt: expiresAt
        )
    }

    func nextPushes(capacity: Int, into pushes: inout [PushJob]) {
        let range = state.withLock { state in
            let first = state.handedOut
            state.handedOut = min(first + capacity, count)
            return first..<state.handedOut
        }
        for number in range { pushes.append(job(number + 1)) }
    }

    func receive(_ answers: [PushResult]) {
        let done: (@Sendable (Int) -> Void, Int)? = state.withLock { state in
            state.answered += answers.count
            let before = state.accepted
            for answer in answers {
                if case .accepted = answer.answer.outcome { state.accepted += 1 }
            }
            let tenth = min(Int(seconds(ContinuousClock.now - state.start) * 10), 36_000)
            while state.acceptedByTime.count <= tenth { state.acceptedByTime.append(0) }
            state.acceptedByTime[tenth] += state.accepted - before
            guard state.answered == count, let whenDone = state.whenDone else { return nil }
            state.whenDone = nil
            return (whenDone, state.accepted)
        }
        if let (whenDone, accepted) = done { whenDone(accepted) }
    }

    func providerChanged(_ state: PushProviderState) {
        guard case .failed(let reason) = state else { return }
        FileHandle.standardError.write(Data("the provider failed: \(reason)\n".utf8))
    }
}
