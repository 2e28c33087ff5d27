import GatewayClient
import ProcessHarness
import Testing

/// A provider that rejects some pushes and accepts the others, with real processes.
@Suite("A provider that fails for some pushes", .timeLimit(.minutes(10)))
struct PartialFaultTests {
    private static let phones = 12
    private static let rounds = 5

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func token(_ phone: Int) -> String {
        (phone < 10 ? "0\(phone)" : "\(phone)") + String(repeating: "5a", count: 31)
    }

    @Test(
        "503 to one phone, or only to long pushes, delays no other, and nothing is lost",
        arguments: [["tokenPrefix": .string(token(0))], ["minBytes": 1500]] as [JSONValue]
    )
    func some(match: JSONValue) async throws {
        let fixture = try await start(match)
        // The first phone's are the long ones.
        let others = (Self.phones - 1) * Self.rounds
        let pushes = try await fixture.simulator.pushes("those of the others") { accepted($0).count >= others }
        #expect(!accepted(pushes).contains { $0.hasPrefix("0-") })
        try await fixture.rules([])
        try await expectAll(fixture)
    }

    @Test("503 to every third push does not stop the lane, and nothing is lost")
    func third() async throws {
        let fixture = try await start(["everyNth": 3])
        try await expectAll(fixture)
    }

    /// Runs a fixture with phones and their messages, whose provider responds 503 to matching pushes.
    private func start(_ match: JSONValue) async throws -> GatewayFixture {
        let fixture = try await GatewayFixture.start(
            in: directory,
            environment: ["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1"]
        )
        try await fixture.rules([["match": match, "do": ["status": 503, "reason": "ServiceUnavailable"]]])
        for phone in 0..<Self.phones {
            _ = try await fixture.gateway.admin.call(
                "PUT",
                fixture.path("apps", "ios", "devices", "phone-\(phone)"),
                query: [("consumer", "p-\(phone)")],
                body: ["token": .string(Self.token(phone)), "pushType": "apns"]
            )
        }
        var events: [JSONValue] = []
        for round in 0..<Self.rounds {
            for phone in 0..<Self.phones {
                let text = String(repeating: "x", count: phone == 0 ? 2000 : 20)
                events.append([
                    "id": .string("\(phone)-\(round)"), "type": "agent.message", "consumer": .string("p-\(phone)"),
                    "conversation": .string("\(phone)-\(round)"), "text": .string(text),
                ])
            }
        }
        #expect(
            try await fixture.gateway.admin.exchange("POST", fixture.path("events"), body: .array(events)).status == 202
        )
        return fixture
    }

    /// Returns the conversations of the accepted pushes.
    private func accepted(_ pushes: [JSONValue]) -> Set<String> {
        Set(pushes.filter { $0["status"].integer == 200 }.map { $0["body"]["conversationId"].plain })
    }

    private func expectAll(_ fixture: GatewayFixture) async throws {
        let all = Self.phones * Self.rounds
        let pushes = try await fixture.simulator.pushes("all") { accepted($0).count >= all }
        #expect(accepted(pushes).count == all)
        let open = try await fixture.metrics("switchboard_delivery_open_breaker_lanes{")
        #expect(!open.isEmpty && open.allSatisfy { $0.hasSuffix(" 0") })
        #expect(try await fixture.gateway.process.stop().status == 0)
        // Each open breaker is logged as an error: none opened.
        #expect(fixture.gateway.process.errors.filter { $0.contains(#""level":"error""#) }.isEmpty)
    }
}
