import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The host's clock jumps while a delivery waits: nothing expires early, and nothing waits until the clock reaches the
/// hour again.
@Suite("A clock that jumps", .timeLimit(.minutes(10)))
struct ClockJumpTests {
    private let directory: TemporaryDirectory
    private let brand = ["v1", "brands", "acme"]

    init() throws { directory = try TemporaryDirectory() }

    private func event(_ id: String) -> JSONValue {
        ["id": .string(id), "type": "agent.message", "consumer": "u-1", "text": "hi", "ttlSeconds": 600]
    }

    @Test("by an hour: waiting deliveries neither expire nor are delayed", arguments: [3600, -3600])
    func jump(by seconds: Int64) async throws {
        // The clocks of both programs jump; otherwise tokens are rejected.
        let clock = try await FaultSwitch(in: directory)
        let simulator = try await SimulatorProcess.start(in: directory, environment: clock.environment)
        let control = APIClient(server: simulator.control)
        let gateway = try await GatewayProcess.start(
            in: directory,
            trustRoots: simulator.authority,
            environment: clock.environment.merging(["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1"]) { $1 }
        )
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call("PUT", brand + ["apps", "ios"], body: try simulator.iOSAppBody())
        let token = String(repeating: "5a", count: 32)
        _ = try await gateway.admin.call(
            "PUT",
            brand + ["apps", "ios", "devices", "phone"],
            query: [("consumer", "u-1")],
            body: ["token": .string(token), "pushType": "apns"]
        )
        let rejection: JSONValue = [
            "match": ["provider": "apns"], "do": ["status": 503, "reason": "ServiceUnavailable"],
        ]
        _ = try await control.call("PUT", ["rules"], body: .array([rejection]))
        _ = try await gateway.admin.call("POST", brand + ["events"], body: event("e-1"))
        #expect(try await simulator.pushes(1).first?["result"].string != "accepted")

        try clock.moveClock(seconds)
        _ = try await gateway.process.errorLine("system clock jumped")
        // Tries are a second apart; meanwhile housekeeping, every ten seconds, has checked for expired data.
        _ = try await simulator.pushes("14 tries") { $0.count >= 14 }
        _ = try await control.call("PUT", ["rules"], body: .array([]))
        _ = try await simulator.pushes("one accepted") { $0.contains { $0["result"].string == "accepted" } }
        // A new message is also sent at once, in order.
        _ = try await gateway.admin.call("POST", brand + ["events"], body: event("e-2"))
        let last = try await simulator.pushes("two accepted") {
            $0.count { $0["result"].string == "accepted" } == 2
        }.last
        #expect(last?["body"]["aps"]["badge"].integer == 2)
        #expect(try await gateway.process.stop().status == 0)
        #expect(try await simulator.process.stop().status == 0)
    }
}
