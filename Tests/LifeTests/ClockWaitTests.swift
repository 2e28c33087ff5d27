import Foundation
import GatewayClient
import GatewayModel
import ProcessHarness
import Testing

/// Deliveries that wait, each for another reason, over starts with a clock that is a year behind.
@Suite("Deliveries that wait while the clock is wrong", .timeLimit(.minutes(10)))
struct ClockWaitTests {
    /// The clock offsets of the starts in seconds.
    enum Clocks: CaseIterable, Sendable, CustomTestStringConvertible {
        case behindMeanwhile, behindAtFirst

        var seconds: [Int64] {
            let yearBehind: Int64 = -365 * 86_400
            // Two hours later all waits are over.
            return self == .behindMeanwhile ? [0, yearBehind, 7200] : [yearBehind, 0, 7200]
        }

        var testDescription: String { "\(self)" }
    }

    /// The consumers whose deliveries wait for the gateway's next try, for the provider's Retry-After, and for the end
    /// of the quiet hours.
    private static let consumers = ["tried", "asked", "quiet"]

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func token(_ consumer: String) -> String {
        (consumer == "tried" ? "11" : consumer == "asked" ? "22" : "33") + String(repeating: "5a", count: 31)
    }

    private func addPhones(_ fixture: GatewayFixture) async throws {
        for consumer in Self.consumers {
            _ = try await fixture.gateway.admin.call(
                "PUT",
                fixture.path("apps", "ios", "devices", consumer),
                query: [("consumer", consumer)],
                body: ["token": .string(Self.token(consumer)), "pushType": "apns"]
            )
        }
        // From half an hour ago until in 50 minutes, on any day.
        let minute = Int(Date.now.timeIntervalSince1970 / 60) % 1440
        let hours: JSONValue = [
            "from": .string(QuietHours.text((minute + 1410) % 1440)),
            "to": .string(QuietHours.text((minute + 50) % 1440)),
            "timeZone": "UTC", "mode": "held",
        ]
        _ = try await fixture.gateway.admin.call(
            "PATCH",
            fixture.path("consumers", "quiet"),
            body: ["quietHours": hours]
        )
        // Shorter than the clock's offset.
        let settings: JSONValue = ["messageTtlSeconds": 86_400, "retentionDays": 7, "staleDeviceDays": 30]
        _ = try await fixture.gateway.admin.call("PATCH", fixture.path(), body: ["settings": settings])
    }

    private func post(_ consumers: [String], _ id: String, at fixture: GatewayFixture) async throws {
        let events: [JSONValue] = consumers.map {
            [
                "id": .string("\($0)-\(id)"), "type": "agent.message", "consumer": .string($0),
                "conversation": .string("c-\($0)"), "text": .string(id), "collapseKey": $0 == "quiet" ? "key" : .null,
            ]
        }
        let response = try await fixture.gateway.admin.exchange("POST", fixture.path("events"), body: .array(events))
        #expect(response.status == 202 && response.body["duplicates"].integer == 0, "\(response.body)")
    }

    /// Returns the states of a consumer's deliveries, oldest first.
    private func states(_ consumer: String, at fixture: GatewayFixture) async throws -> [String] {
        try await fixture.deliveries().reversed().filter { $0["consumer"].string == consumer }.map { $0["state"].plain }
    }

    private func wait(_ fixture: GatewayFixture, for expected: [String: [String]]) async throws {
        try await fixture.wait(for: "\(expected)") {
            for (consumer, wanted) in expected where try await states(consumer, at: fixture) != wanted { return false }
            return true
        }
    }

    @Test("do not wait for another year, and none of them expires or is lost", arguments: Clocks.allCases)
    func wait(_ clocks: Clocks) async throws {
        let clock = try await FaultSwitch(in: directory)
        // Certificates that are valid at each of the times.
        try clock.moveClock(-365 * 86_400)
        let older = try await SimulatorProcess.start(in: directory, environment: clock.environment)
        _ = try await older.process.stop()
        try clock.moveClock(clocks.seconds[0])
        let first = try await GatewayFixture.start(
            in: directory,
            environment: clock.environment.merging(["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "5"]) { $1 },
            simulatorEnvironment: clock.environment
        )
        try await addPhones(first)
        try await first.rules([
            ["match": ["tokenPrefix": "11"], "do": ["status": 503, "reason": "ServiceUnavailable"]],
            ["match": ["tokenPrefix": "22"], "do": ["status": 429, "reason": "TooManyRequests", "retryAfter": 3600]],
        ])
        try await post(Self.consumers, "first", at: first)
        try await wait(first, for: ["tried": ["retrying"], "asked": ["retrying"], "quiet": ["pending"]])
        #expect(try await first.gateway.process.stop().status == 0)

        try await first.rules([])
        try clock.moveClock(clocks.seconds[1])
        let second = try await first.restarted()
        let isOver = clocks == .behindAtFirst
        try await wait(second, for: ["tried": ["accepted"], "asked": [isOver ? "accepted" : "retrying"]])
        try await post(["quiet"], "second", at: second)
        #expect(try await states("quiet", at: second).last == "pending")
        #expect(try await second.gateway.process.stop().status == 0)

        try clock.moveClock(clocks.seconds[2])
        let third = try await second.restarted()
        try await wait(
            third,
            for: ["tried": ["accepted"], "asked": ["accepted"], "quiet": ["cancelled", "accepted"]]
        )
        let accepted = try await third.simulator.pushes("three accepted") {
            $0.count { $0["result"].string == "accepted" } >= 3
        }.filter { $0["result"].string == "accepted" }
        #expect(accepted.count == 3)
        let held = accepted.filter { $0["body"]["conversationId"].string == "c-quiet" }
        #expect(held.map { $0["body"]["aps"]["alert"]["body"].string } == ["second"])
        #expect(held.first?["body"]["aps"]["badge"].integer == 2)
        for consumer in Self.consumers {
            let session = try await third.gateway.session(consumer)
            let messages = try await APIClient(server: third.gateway.url, bearer: session)
                .call("GET", third.path("messages")).body["items"].items.map { $0["text"].string }
            #expect(messages == (consumer == "quiet" ? ["first", "second"] : ["first"]))
        }
        #expect(try await third.gateway.process.stop().status == 0)
    }
}
