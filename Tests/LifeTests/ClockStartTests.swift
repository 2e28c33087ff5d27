import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// A gateway starts with a wrong clock, and later with the right one.
@Suite("A clock that is wrong at the start", .timeLimit(.minutes(10)))
struct ClockStartTests {
    private static let day: Int64 = 86_400
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func states(_ fixture: GatewayFixture) async throws -> [String?] {
        try await fixture.deliveries().map { $0["state"].string }
    }

    @Test("two months ahead: nothing is lost, and waiting pushes are sent after a start with the right clock")
    func ahead() async throws {
        let clock = try await FaultSwitch(in: directory)
        let settings = clock.environment.merging(["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1"]) { $1 }
        let first = try await GatewayFixture.start(in: directory, environment: settings)
        _ = try await first.gateway.admin.call(
            "PATCH",
            first.path(),
            body: ["settings": ["retentionDays": 7, "messageTtlSeconds": 3600, "staleDeviceDays": 30]]
        )
        #expect(try await first.post("e-1").status == 202)
        _ = try await first.simulator.pushes(1)
        let session = try await first.gateway.session("u-1")
        try await first.rules([["match": ["provider": "apns"], "do": ["status": 503, "reason": "ServiceUnavailable"]]])
        #expect(try await first.post("e-2").status == 202)
        _ = try await first.simulator.pushes(2)
        #expect(try await first.gateway.process.stop().status == 0)

        // A token from a clock two months ahead is rejected: the lane stops, for longer each time.
        try await first.rules([])
        try clock.moveClock(60 * Self.day)
        let wrong = try await first.restarted()
        _ = try await wrong.gateway.process.errorLine("far ahead")
        #expect(try await wrong.post("e-3").status == 202)
        #expect(try await wrong.post("e-1").body["duplicates"].integer == 1)
        let ready = try await wrong.gateway.admin.exchange("GET", ["readyz"])
        #expect(ready.status == 200 && ready.body["clock"].string == "guarded")
        #expect(try await wrong.metrics("switchboard_clock_guarded") == ["switchboard_clock_guarded 1"])
        let shown = try await wrong.gateway.verb(["clock", "show", "--json"])
        #expect(shown.exit.status == 0 && shown.output.first?.contains("\"guardedUntil\":\"20") == true)
        // The second rejection comes half a minute after the first: both passes of housekeeping have run by then.
        _ = try await wrong.simulator.pushes("two tokens refused") { items in
            items.count { $0["status"].integer == 403 } >= 2
        }
        #expect(try await states(wrong).last == "accepted")
        #expect(try await !states(wrong).contains("expired"))
        #expect(try await wrong.deliveries().count == 3)
        #expect(try await wrong.unread() == 3)
        #expect(try await wrong.gateway.process.stop().status == 0)

        try clock.moveClock(0)
        let right = try await wrong.restarted()
        _ = try await right.simulator.pushes("all accepted") { items in
            items.count { $0["result"].string == "accepted" } == 3
        }
        let all = ["accepted", "accepted", "accepted"]
        try await right.wait(for: "all written down") { try await states(right) == all }
        #expect(try await right.gateway.admin.exchange("GET", ["readyz"]).body["clock"].string == nil)
        let times = try await right.gateway.admin.call("GET", ["v1", "clock"]).body
        #expect(times["guardedUntil"] == .null)
        // The earlier session is still valid.
        let consumer = APIClient(server: right.gateway.url, bearer: session)
        #expect(try await consumer.call("GET", right.path("unread")).body["unread"].integer == 3)
        #expect(try await right.gateway.process.stop().status == 0)
    }

    @Test("off for a week: the gateway works normally, and after an operator accepts the clock data expires")
    func off() async throws {
        let clock = try await FaultSwitch(in: directory)
        // The simulator's clock is right too.
        let first = try await GatewayFixture.start(
            in: directory,
            environment: clock.environment,
            simulatorEnvironment: clock.environment
        )
        try await first.rules([["match": ["provider": "apns"], "do": ["status": 503, "reason": "ServiceUnavailable"]]])
        _ = try await first.gateway.admin.call("PATCH", first.path(), body: ["settings": ["messageTtlSeconds": 600]])
        #expect(try await first.post("e-1").status == 202)
        _ = try await first.simulator.pushes(1)
        #expect(try await first.gateway.process.stop().status == 0)
        try await first.rules([])
        try clock.moveClock(7 * Self.day)
        let again = try await first.restarted()
        _ = try await again.gateway.process.errorLine("far ahead")
        #expect(try await again.post("e-2").status == 202)
        try await again.wait(for: "both sent") { try await states(again) == ["accepted", "accepted"] }
        let accepted = try await again.gateway.verb(["clock", "accept"])
        #expect(accepted.exit.status == 0 && accepted.output.first?.hasPrefix("clock accepted") == true)
        _ = try await again.gateway.process.errorLine("the clock guard has ended")
        #expect(try await again.metrics("switchboard_clock_guarded") == ["switchboard_clock_guarded 0"])
        #expect(try await again.gateway.process.stop().status == 0)
        let third = try await again.restarted()
        #expect(third.gateway.process.errors.allSatisfy { !$0.contains("far ahead") })
        #expect(try await third.gateway.process.stop().status == 0)
    }

    @Test("a year behind: ids and times do not go back, pushes are sent, and a new session is kept")
    func behind() async throws {
        let clock = try await FaultSwitch(in: directory)
        let first = try await GatewayProcess.start(in: directory, environment: clock.environment)
        _ = try await first.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let event: JSONValue = [
            "id": "e-1", "type": "agent.message", "consumer": "u-1", "conversation": "c-9", "text": "hi",
        ]
        _ = try await first.admin.call("POST", ["v1", "brands", "acme", "events"], body: event)
        #expect(try await first.process.stop().status == 0)

        // The clocks of both programs, or tokens are rejected.
        try clock.moveClock(-365 * Self.day)
        let fixture = try await GatewayFixture.start(
            in: directory,
            environment: clock.environment,
            simulatorEnvironment: clock.environment,
            makesBrand: false
        )
        _ = try await fixture.gateway.process.errorLine("is behind the newest time")
        #expect(try await fixture.post("e-2").status == 202)
        let pushes = try await fixture.simulator.pushes("accepted") {
            $0.contains { $0["result"].string == "accepted" }
        }
        #expect(pushes.last?["body"]["aps"]["badge"].integer == 2)
        let session = try await fixture.gateway.session("u-1")
        let consumer = APIClient(server: fixture.gateway.url, bearer: session)
        let messages = try await consumer.call("GET", fixture.path("messages")).body["items"].items
        #expect(messages.map { $0["text"].string } == ["hi", "text of e-2"])
        for member in ["messageId", "sentAt"] {
            let values = messages.compactMap { $0[member].string }
            #expect(values.count == 2 && values == values.sorted(), "\(member): \(values)")
        }
        let trail = try await fixture.gateway.admin.call("GET", ["v1", "audit"]).body["items"].items
        #expect(trail.count == 2 && (trail.first?["at"].string ?? "") > (trail.last?["at"].string ?? ""))
        #expect(try await fixture.gateway.process.stop().status == 0)
    }
}
