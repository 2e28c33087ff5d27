import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("A brand with a thousand apps", .timeLimit(.minutes(10)))
struct ManyAppsTests {
    private static let apps = 1000

    /// Returns the simulator's count of connections from the gateway.
    private func opened(_ simulator: SimulatorProcess) async throws -> Int64? {
        let stats = try await APIClient(server: simulator.control).call("GET", ["stats"]).body
        return stats["providers"]["apns"]["connections"]["opened"].integer
    }

    @Test("has no connections for unused apps, and a push for one is sent, also after a restart")
    func idle() async throws {
        let directory = try TemporaryDirectory()
        var fixture = try await GatewayFixture.start(in: directory)
        let app = try fixture.simulator.iOSAppBody()
        for number in 0..<Self.apps {
            let path = fixture.path("apps", "ios-\(number)")
            #expect(try await fixture.gateway.admin.exchange("PUT", path, body: app).status == 201)
        }
        _ = try await fixture.gateway.admin.call(
            "PUT",
            fixture.path("apps", "ios-617", "devices", "phone"),
            query: [("consumer", "u-617")],
            body: ["token": .string(String(repeating: "61", count: 32)), "pushType": "apns"]
        )
        for start in 1...2 {
            #expect(try await opened(fixture.simulator) == Int64(start - 1))
            let event: JSONValue = [
                "id": .string("e-\(start)"), "type": "agent.message", "consumer": "u-617", "conversation": "c-617",
                "text": "hello",
            ]
            #expect(try await fixture.gateway.admin.exchange("POST", fixture.path("events"), body: event).status == 202)
            let pushes = try await fixture.simulator.pushes(start)
            #expect(pushes.allSatisfy { $0["result"].string == "accepted" })
            #expect(try await opened(fixture.simulator) == Int64(start))
            #expect(try await fixture.gateway.process.stop().status == 0)
            if start == 1 { fixture = try await fixture.restarted() }
        }
    }
}
