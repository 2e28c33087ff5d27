import GatewayModel
import GatewayStorage
import PushSimulator
import Testing

@Suite("No provider can make a storm of one push, whatever it answers", .timeLimit(.minutes(10)))
struct StormTests {
    private static let device = Device.ios("phone", token: "bad0")

    @Test(
        "an answer that blames each connection gets one new connection and one resend at once",
        arguments: ["IdleTimeout", "UnrelatedKeyIdInToken"]
    )
    func blamedConnection(reason: String) async throws {
        try await SendingSite.run { site in
            try await site.register(Self.device)
            site.simulator.setRules([SimulatorRule(action: RuleAction(reason: reason))])
            try await site.post(to: [Self.device])
            let records = try await site.outcomes(of: Self.device, count: 2)
            #expect(records[0].disposition == .retry(due: site.clock.now))
            guard case .retry(let due) = records[1].disposition else {
                Issue.record("not tried again: \(records[1].disposition)")
                return
            }
            #expect(due >= site.clock.now.adding(seconds: 30))
            site.simulator.setRules([])
            try await site.advance(seconds: 36)
            let last = try await site.outcomes(of: Self.device, count: 3)[2]
            #expect(last.disposition == .finished(.accepted, nil))
            #expect(site.pushes(to: Self.device).count == 3)
        }
    }

    @Test("a push that each connection's GOAWAY leaves out is sent again at once five times, then later")
    func leftOut() async throws {
        try await SendingSite.run { site in
            try await site.register(Self.device)
            site.simulator.setRules([SimulatorRule(action: RuleAction(goAway: .init(coversRequest: false)))])
            try await site.post(to: [Self.device])
            let records = try await site.outcomes(of: Self.device, count: 6)
            #expect(records.prefix(5).allSatisfy { $0.disposition == .retry(due: site.clock.now) })
            guard case .retry(let due) = records[5].disposition else {
                Issue.record("not tried again: \(records[5].disposition)")
                return
            }
            #expect(due >= site.clock.now.adding(seconds: 5))
            site.simulator.setRules([])
            try await site.advance(seconds: 6)
            let last = try await site.outcomes(of: Self.device, count: 7)[6]
            #expect(last.disposition == .finished(.accepted, nil))
            #expect(site.pushes(to: Self.device).count == 7)
            #expect(site.metric(#"switchboard_delivery_resends_total{provider="apns"}"#) == 6)
            #expect(site.metric(#"switchboard_delivery_queue_wait_seconds_count{provider="apns"}"#) == 7)
        }
    }
}
