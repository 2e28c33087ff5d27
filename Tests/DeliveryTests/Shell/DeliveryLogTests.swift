import GatewayModel
import GatewayStorage
import Logging
import PushProviders
import Synchronization
import Testing

@testable import Delivery

@Suite("Log lines of deliveries", .timeLimit(.minutes(10)))
struct DeliveryLogTests {
    /// The lines of a logger, and the pushes that a test saw.
    private final class Lines: Sendable {
        let all = Mutex<[(message: String, metadata: [String: String])]>([])
        let pushes = Mutex<[PushJob]>([])

        func logger(_ level: Logger.Level) -> Logger {
            Logger(label: "test") { _ in Handler(lines: self, logLevel: level) }
        }

        /// The metadata of the lines with a message.
        func metadata(_ message: String) -> [[String: String]] {
            all.withLock { $0.filter { $0.message == message }.map(\.metadata) }
        }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).mapValues { "\($0)" }
            lines.all.withLock { $0.append(("\(event.message)", metadata)) }
        }
    }

    /// Sends one message to one device.
    private func send(at level: Logger.Level) async throws -> Lines {
        let core = try TestCore()
        let lines = Lines()
        try await core.run(logger: lines.logger(level)) { service, _ in
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            let jobs = await core.provider().taken(1)
            lines.pushes.withLock { $0 = jobs }
        }
        return lines
    }

    @Test("at level debug a push and its response are logged with message and delivery, without text and token")
    func debug() async throws {
        let lines = try await send(at: .debug)
        let push = try #require(lines.pushes.withLock { $0.first })
        let message = try #require(push.message?.id)
        let ids = [
            "delivery.id": "\(push.delivery)", "message.id": "\(message)", "lane.name": "\(TestCore.lane)",
        ]
        let event = ["brand.id": "\(TestCore.brand.id)", "message.id": "\(message)", "count": "1"]
        #expect(lines.metadata("an event was accepted") == [event])
        #expect(lines.metadata("a push leaves") == [ids])
        let response = try #require(lines.metadata("a provider has responded to a push").first)
        #expect(response == ids.merging(["outcome": "accepted", "provider.status": "200", "duration.ms": "1"]) { $1 })
        let text = lines.all.withLock { "\($0)" }
        #expect(!text.contains("token-of-d1") && !text.contains("text of"))
    }

    @Test("at level info there are none")
    func info() async throws {
        let lines = try await send(at: .info)
        #expect(lines.pushes.withLock { $0.count } == 1)
        #expect(lines.metadata("an event was accepted").isEmpty)
        #expect(lines.metadata("a push leaves").isEmpty)
        #expect(lines.metadata("a provider has responded to a push").isEmpty)
    }

    @Test("a delivery that ended without a push is logged; one that only waits again is not")
    func ended() async throws {
        let lines = Lines()
        try await TestCore().run(logger: lines.logger(.debug)) { service, _ in
            var turn = WriterTurn(now: SystemClock().now, incarnation: IncarnationID(1))
            let dispositions: [OutcomeRecord.Disposition] = [.finished(.expired, nil), .release(due: turn.now)]
            turn.outcomes = dispositions.enumerated().map { index, disposition in
                OutcomeRecord(
                    delivery: DeliveryID(Int64(index) + 41),
                    registration: RegistrationID(1),
                    response: nil,
                    disposition: disposition,
                    token: .none
                )
            }
            service.logEnds(of: turn)
        }
        let ended = lines.metadata("a delivery ended without a push")
        #expect(ended == [["delivery.id": "41", "outcome": "expired"]])
    }
}
