import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Shutdowns while a provider does not respond.
@Suite("Shutdowns with pushes in flight", .timeLimit(.minutes(10)))
struct StopTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Starts a fixture whose provider never responds, with three events of which the first is in flight.
    private func hangingProvider(drainSeconds: String) async throws -> GatewayFixture {
        let fixture = try await GatewayFixture.start(
            in: directory,
            environment: [
                "SWITCHBOARD_DELIVERY_DRAIN_DEADLINE_SECONDS": drainSeconds,
                // The gateway must not time the push out before the test ends it, however slow the host is.
                "SWITCHBOARD_PROVIDER_REQUEST_TIMEOUT_SECONDS": "600",
            ]
        )
        try await fixture.rules([["match": ["provider": "apns"], "do": ["silent": true]]])
        for id in ["e-1", "e-2", "e-3"] { #expect(try await fixture.post(id).status == 202) }
        let first = try await fixture.simulator.pushes(1)
        #expect(first.map { $0["result"].plain } == ["unanswered"])
        return fixture
    }

    /// Checks that the next start delivers the remaining pushes, in order and each once.
    private func expectDelivered(_ fixture: GatewayFixture) async throws {
        try await fixture.rules([])
        let again = try await fixture.restarted()
        let pushes = try await again.simulator.pushes(4).filter { $0["result"].string == "accepted" }
        #expect(
            pushes.map { $0["body"]["aps"]["alert"]["body"].plain } == ["e-1", "e-2", "e-3"].map { "text of \($0)" }
        )
        try await again.wait(for: "the outcomes") {
            try await again.deliveries().filter { $0["state"].string == "accepted" }.count == 3
        }
        #expect(try await again.gateway.process.stop() == .init(status: 0, isSignal: false))
    }

    @Test("after one SIGTERM pushes without a response at the deadline are sent by the next start; exit code 0")
    func deadline() async throws {
        let fixture = try await hangingProvider(drainSeconds: "1")
        // Much less than the hanging provider has, and much more than the deadline.
        #expect(try await fixture.gateway.process.stop(within: .seconds(240)) == .init(status: 0, isSignal: false))
        try await expectDelivered(fixture)
    }

    @Test("a second SIGTERM does not wait for the deadline, exits with 143, and the next start sends the rest")
    func second() async throws {
        let fixture = try await hangingProvider(drainSeconds: "600")
        fixture.gateway.process.signal(SIGTERM)
        _ = try await fixture.gateway.process.errorLine("\"stopping\"")
        fixture.gateway.process.signal(SIGTERM)
        let exit = try await fixture.gateway.process.ended(within: .seconds(240))
        #expect(exit == .init(status: ProcessStatus.secondSignal.rawValue, isSignal: false))
        try await expectDelivered(fixture)
    }
}
