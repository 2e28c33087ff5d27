import Foundation
import GatewayClient
import GatewayModel
import ProcessHarness
import Testing

/// A night with quiet hours in which the process is killed twice: with held pushes, and with their summary in flight.
@Suite("A quiet night", .timeLimit(.minutes(10)))
struct QuietNightTests {
    /// The end of the waiting time.
    enum End: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case hoursAreOver, brandChangesThem, consumerHasNone

        var testDescription: String { rawValue }
    }

    /// From half an hour ago until in 50 minutes.
    private static var hours: JSONValue {
        let minute = Int(Date.now.timeIntervalSince1970 / 60) % 1440
        return [
            "from": .string(QuietHours.text((minute + 1410) % 1440)),
            "to": .string(QuietHours.text((minute + 50) % 1440)),
            "timeZone": "UTC", "mode": "held",
        ]
    }

    /// Waits until the provider has accepted that many pushes, and returns them.
    private func accepted(_ count: Int, at fixture: GatewayFixture) async throws -> [JSONValue] {
        func isAccepted(_ push: JSONValue) -> Bool { push["result"].string == "accepted" }
        return try await fixture.simulator.pushes("\(count) accepted") { $0.count(where: isAccepted) >= count }
            .filter(isAccepted)
    }

    private func count(_ state: String, by suppressedBy: String? = nil, at fixture: GatewayFixture) async throws -> Int
    {
        try await fixture.deliveries().count {
            $0["state"].string == state && (suppressedBy == nil || $0["suppressedBy"].string == suppressedBy)
        }
    }

    /// Marks as read on the phone itself, so that no badge push follows.
    private func read(_ conversation: String, upTo sequence: Int64, at fixture: GatewayFixture) async throws {
        let session = try await fixture.gateway.session("u-1", device: "phone")
        let phone = APIClient(server: fixture.gateway.url, bearer: session)
        let body: JSONValue = ["upToSequence": .integer(sequence)]
        _ = try await phone.call("POST", fixture.path("conversations", conversation, "read"), body: body)
    }

    private func killed(_ fixture: GatewayFixture) async throws {
        fixture.gateway.process.signal(SIGKILL)
        _ = try await fixture.gateway.process.ended()
    }

    @Test("ends with one summary push, with the current badge", arguments: End.allCases)
    func night(_ end: End) async throws {
        let directory = try TemporaryDirectory()
        let clock = try await FaultSwitch(in: directory)
        var fixture = try await GatewayFixture.start(
            in: directory,
            environment: clock.environment.merging(["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1"]) { $1 },
            simulatorEnvironment: clock.environment
        )
        let settings: JSONValue = ["quietHours": Self.hours, "summaryThreshold": 3]
        _ = try await fixture.gateway.admin.call("PATCH", fixture.path(), body: ["settings": settings])
        for number in 1...6 { #expect(try await fixture.post("m-\(number)").status == 202) }
        for number in 1...4 { #expect(try await fixture.post("n-\(number)", in: "c-\(9 + number)").status == 202) }
        try await read("c-9", upTo: 2, at: fixture)
        try await read("c-10", upTo: 1, at: fixture)
        #expect(try await count("cancelled", by: "read", at: fixture) == 3)
        try await fixture.wait(for: "the others to be held in the store") {
            try await count("pending", at: fixture) == 7
        }

        try await killed(fixture)
        fixture = try await fixture.restarted()
        #expect(try await fixture.post("m-7").status == 202)
        try await fixture.wait(for: "all to be held again") { try await count("pending", at: fixture) == 8 }
        // None of them was sent or has expired: it is still night.
        #expect(try await fixture.simulator.pushes("none") { _ in true }.isEmpty)

        let rejection: JSONValue = [
            "match": ["provider": "apns"], "do": ["status": 503, "reason": "ServiceUnavailable"],
        ]
        try await fixture.rules([rejection])
        // A running process slews to a clock that jumped: only the next process has the new time.
        try await killed(fixture)
        try clock.moveClock(end == .hoursAreOver ? 3600 : 600)
        fixture = try await fixture.restarted()
        switch end {
        case .hoursAreOver: break
        case .brandChangesThem:
            try await fixture.wait(for: "all to be held once more") { try await count("pending", at: fixture) == 8 }
            _ = try await fixture.gateway.admin.call("PATCH", fixture.path(), body: ["settings": ["quietHours": .null]])
        case .consumerHasNone:
            try await fixture.wait(for: "all to be held once more") { try await count("pending", at: fixture) == 8 }
            let none: JSONValue = ["quietHours": ["mode": "off"]]
            _ = try await fixture.gateway.admin.call("PATCH", fixture.path("consumers", "u-1"), body: none)
        }
        // The summary is rejected at first, is sent again without messages read meanwhile, and the process is killed
        // during that.
        func text(_ push: JSONValue) -> String? { push["body"]["aps"]["alert"]["body"].string }
        let refused = try #require(try await fixture.simulator.pushes(1).first)
        #expect(text(refused) == "8 new messages")
        try await read("c-11", upTo: 1, at: fixture)
        _ = try await fixture.simulator.pushes("one without it") { $0.contains { text($0) == "7 new messages" } }
        try await killed(fixture)
        fixture = try await fixture.restarted()
        try await fixture.rules([])

        let summary = try #require(try await accepted(1, at: fixture).first)
        #expect(summary["body"]["aps"]["badge"].integer == 7)
        #expect(text(summary) == "7 new messages")
        #expect(summary["body"]["sequence"].integer == 7)
        #expect(summary["body"]["conversationId"].string == "c-9")
        try await fixture.wait(for: "everything to end") {
            try await count("suppressed", by: "collapsed", at: fixture) == 6
        }
        #expect(try await count("accepted", at: fixture) == 1)
        #expect(try await count("cancelled", by: "read", at: fixture) == 4)
        #expect(try await fixture.deliveries().count == 11)
        // The next push follows directly: nothing else was in flight.
        #expect(try await fixture.post("m-8").status == 202)
        let pushes = try await accepted(2, at: fixture)
        #expect(pushes.map { $0["body"]["sequence"].integer } == [7, 8])
        #expect(pushes.last?["body"]["aps"]["badge"].integer == 8)
        #expect(try await fixture.unread() == 8)
        #expect(try await fixture.gateway.process.stop().status == 0)
    }
}
