import GatewayModel
import GatewayStorage
import PushSimulator
import TestSupport
import Testing

@Suite("No response of a provider causes a storm of one push", .timeLimit(.minutes(10)))
struct StormTests {
    private static let device = Device.ios("phone", token: "bad0")

    @Test(
        "a response that requires a new connection causes one immediate reconnect and resend",
        arguments: ["IdleTimeout", "UnrelatedKeyIdInToken"]
    )
    func blamedConnection(reason: String) async throws {
        try await SendingFixture.run { fixture in
            try await fixture.register(Self.device)
            fixture.simulator.setRules([SimulatorRule(action: RuleAction(reason: reason))])
            try await fixture.post(to: [Self.device])
            let records = try await fixture.outcomes(of: Self.device, count: 2)
            #expect(records[0].disposition == .retry(due: fixture.clock.now))
            guard case .retry(let due) = records[1].disposition else {
                Issue.record("not tried again: \(records[1].disposition)")
                return
            }
            #expect(due >= fixture.clock.now.adding(seconds: 30))
            fixture.simulator.setRules([])
            try await fixture.advance(seconds: 36)
            let last = try await fixture.outcomes(of: Self.device, count: 3)[2]
            #expect(last.disposition == .finished(.accepted, nil))
            #expect(fixture.pushes(to: Self.device).count == 3)
        }
    }

    @Test("a push that every connection's GOAWAY excludes counts no attempt, and waits longer each time")
    func leftOut() async throws {
        try await SendingFixture.run { fixture in
            try await fixture.register(Self.device)
            fixture.simulator.setRules([SimulatorRule(action: RuleAction(goAway: .init(coversRequest: false)))])
            let registration = try #require(try await fixture.registration(of: Self.device)).id
            try await fixture.post(to: [Self.device])
            let waits: [Int64] = [0, 1, 2, 5, 5]
            for (place, wait) in waits.enumerated() {
                let record = try await fixture.outcomes(of: registration, count: place + 1, unsent: true)[place]
                let due = fixture.clock.now.adding(seconds: wait)
                #expect(record.response == nil && record.disposition == .release(due: due, isAsked: true))
                if place == waits.count - 1 { fixture.simulator.setRules([]) }
                if wait > 0 { try await fixture.advance(seconds: wait) }
            }
            let last = try await fixture.outcomes(of: registration, count: waits.count + 1, unsent: true)[waits.count]
            #expect(last.disposition == .finished(.accepted, nil))
            #expect(try await fixture.deliveries(to: Self.device).map(\.attempts) == [1])
            #expect(fixture.pushes(to: Self.device).count == waits.count + 1)
            #expect(fixture.metric(#"switchboard_delivery_resends_total{provider="apns"}"#) == 0)
        }
    }
}
