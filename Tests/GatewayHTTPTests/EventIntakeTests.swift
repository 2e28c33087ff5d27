import CoreMetrics
import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import Logging
import ServiceLifecycle
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

/// Lanes that cannot send.
private struct NoLanes: LaneDirectory {
    func lane(_ id: LaneID) -> LaneDescription? { nil }
}

@Suite("Pieces of a request in the delivery core", .timeLimit(.minutes(10)))
struct EventIntakeTests {
    private static let brand = Brand(
        id: BrandID(trusted: "acme"),
        name: "Acme",
        settings: BrandSettings(),
        createdAt: Timestamp(milliseconds: 0)
    )

    private static func event(_ id: String) -> AgentEvent {
        var event = AgentEvent(
            id: EventID(trusted: id),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u-1")
        )
        event.text = "x"
        return event
    }

    private func withCore(_ test: @escaping @Sendable (DeliveryService) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("intake-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try TestGateway.makeStore(folder.appendingPathComponent("test.sqlite").path, logger)
        let clock = TestClock()
        let delivery = DeliveryService(
            store: store,
            directory: NoLanes(),
            makeProvider: { _, _ in nil },
            settings: DeliverySettings(),
            clock: clock,
            metrics: DeliveryMetrics(factory: NOOPMetricsHandler.instance),
            logger: logger
        )
        try await store.insertBrand(Self.brand, audit: nil)
        _ = try await delivery.start()
        let group = ServiceGroup(configuration: .init(services: [delivery], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result: Result<Void, any Error>
            do {
                try await test(delivery)
                result = .success(())
            } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
        }
        await store.close()
    }

    @Test("a piece that is not accepted midway fails with all later ones, and earlier ones stay")
    func midway() async throws {
        try await withCore { delivery in
            var intake = EventIntake(delivery: delivery, brand: Self.brand)
            let first = try await intake.take([Self.event("1"), Self.event("2")])
            #expect(first.allSatisfy { EventsResponse.problem(of: $0) == nil })
            delivery.report([.diskSpaceLow])
            let second = try await intake.take([Self.event("3"), Self.event("4")])
            #expect(second == Array(repeating: .failed(.fault(.diskSpaceLow)), count: 2))
            #expect(EventsResponse.problem(of: second[0])?.code == .overloaded)
            // Nothing overtakes the failed piece, although there is room again.
            delivery.report([])
            let third = try await intake.take([Self.event("5")])
            #expect(third == [.failed(.fault(.diskSpaceLow))])
            // The next request contains the missing events.
            var next = EventIntake(delivery: delivery, brand: Self.brand)
            let all = try await next.take((1...5).map { Self.event("\($0)") })
            let isReplay = all.map { if case .decided(.duplicate) = $0 { true } else { false } }
            #expect(isReplay == [true, true, false, false, false])
        }
    }

    @Test("when the first piece is not accepted the request is rejected, also after a piece without valid events")
    func atFirst() async throws {
        try await withCore { delivery in
            delivery.report([.diskSpaceLow])
            var intake = EventIntake(delivery: delivery, brand: Self.brand)
            let none = try await intake.take([])
            #expect(none.isEmpty)
            do {
                _ = try await intake.take([Self.event("1")])
                Issue.record("it was accepted")
            } catch let problem as Problem { #expect(problem.status == 503) }
        }
    }
}
