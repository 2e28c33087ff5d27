import GatewayModel
import GuardedHTTP
import Logging
import Outbound
import ProcessHarness
import Telemetry
import TestSupport
import Testing

@Suite("Operator events: the webhook of the instance", .timeLimit(.minutes(10)))
struct OperatorWebhookTests {
    private static let key = [UInt8](repeating: 7, count: 32)

    private let clock = TestClock()
    private let directory: TemporaryDirectory
    private let registry = PrometheusRegistry()

    init() throws { directory = try TemporaryDirectory() }

    private var stopped: OperatorCondition {
        OperatorCondition(.init(.laneStopped, brand: BrandID(trusted: "acme"), name: "ios:apns:production"))
    }

    /// Runs a test with a webhook whose receiver has these behaviours.
    private func run(
        _ behaviours: [String],
        policy: AddressPolicy = AddressPolicy(allowsLoopback: true),
        _ test: (inout OperatorWebhook, ReceiverProcess) async throws -> Void
    ) async throws {
        let receiver = try await ReceiverProcess.start(behaviours, keys: [Self.key], in: directory)
        let sender = HTTPWebhookSender(
            client: GuardedHTTPClient(
                resolver: TestResolver([]),
                policy: policy,
                maxIdle: 1
            )
        )
        var webhook = OperatorWebhook(
            url: "http://127.0.0.1:\(receiver.port)/operators",
            key: Self.key,
            sender: sender,
            clock: clock,
            metrics: OperatorMetrics(factory: registry),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let result: Result<Void, any Error>
        do {
            try await test(&webhook, receiver)
            result = .success(())
        } catch { result = .failure(error) }
        await sender.close()
        try result.get()
    }

    private func count(_ series: String) -> Bool { registry.render().contains("\n\(series)\n") }

    @Test("events are posted signed, one batch after the other, each once")
    func posts() async throws {
        try await run([]) { webhook, receiver in
            await webhook.update([stopped], jitter: 0.5)
            await webhook.update([stopped], jitter: 0.5)
            let request = try #require(try await receiver.requests(1).first)
            #expect(request.path == "/operators" && request.positions == [1, 2] && request.signed == [0])
            let many = (0..<250).map {
                OperatorCondition(.init(.laneStopped, brand: BrandID(trusted: "b-\($0)"), name: "n"))
            }
            await webhook.update([stopped] + many, jitter: 0.5)
            let requests = try await receiver.requests(4)
            #expect(requests.flatMap(\.positions) == Array(1...252))
            #expect(requests.allSatisfy { $0.positions.count <= 100 } && Set(requests.map(\.id)).count == 4)
        }
        #expect(count(#"switchboard_operator_events_total{result="posted"} 252"#))
        #expect(count(#"switchboard_operator_webhook_posts_total{result="taken"} 4"#))
        #expect(count("switchboard_operator_events_waiting 0"))
    }

    @Test("a failed attempt is repeated later with the same id and the same events; what changes meanwhile comes next")
    func again() async throws {
        try await run(["500", "503:30"]) { webhook, receiver in
            await webhook.update([], jitter: 0.5)
            await webhook.update([stopped], jitter: 0.5)
            #expect(try await receiver.requests(1).count == 1)
            clock.advance(seconds: 2)
            await webhook.update([stopped], jitter: 0.5)
            #expect(try await receiver.requests(2).count == 2)
            // The receiver asked for 30 s, more than the second wait.
            clock.advance(seconds: 29)
            await webhook.update([stopped], jitter: 0.5)
            #expect(receiver.requests.count == 2)
            clock.advance(seconds: 2)
            await webhook.update([stopped], jitter: 0.5)
            let requests = try await receiver.requests(4)
            #expect(requests.map(\.positions) == [[1], [1], [1], [2]])
            #expect(Set(requests.prefix(3).map(\.id)).count == 1 && requests[3].id != requests[0].id)
        }
        #expect(count(#"switchboard_operator_webhook_posts_total{result="refused"} 2"#))
    }

    @Test("410 switches it off until the next start; what waits is bounded, and what is lost is counted")
    func gone() async throws {
        try await run(["410"]) { webhook, receiver in
            await webhook.update([], jitter: 0.5)
            clock.advance(seconds: 100_000)
            let many = (0..<150).map {
                OperatorCondition(.init(.laneStopped, brand: BrandID(trusted: "acme"), name: "n-\($0)"))
            }
            await webhook.update(many, jitter: 0.5)
            await webhook.update(Array(many.prefix(100)), jitter: 0.5)
            let requests = try await receiver.requests(1)
            #expect(requests.map(\.positions) == [[1]])
        }
        #expect(count(#"switchboard_operator_events_total{result="lost"} 50"#))
        #expect(count("switchboard_operator_events_waiting 100"))
    }

    @Test("an address that is not allowed is never reached")
    func guarded() async throws {
        try await run([], policy: AddressPolicy()) { webhook, receiver in
            await webhook.update([], jitter: 0.5)
            #expect(receiver.requests.isEmpty)
        }
        #expect(count(#"switchboard_operator_webhook_posts_total{result="forbidden_address"} 1"#))
    }
}
