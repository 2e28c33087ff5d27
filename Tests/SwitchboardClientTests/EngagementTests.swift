import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Engagements", .timeLimit(.minutes(15)))
struct EngagementTests {
    private static let offer: JSONValue = [
        "campaignId": "ca-1", "engagementId": "e-1", "contextId": "sealed", "skill": "sales", "language": "en",
        "status": "expose",
    ]
    private static let claim: JSONValue = ["campaignId": "ca-1", "engagementId": "e-1", "contextId": "sealed"]

    private let fixture = Fixture { $0.monitoring = MonitoringParameters(appInstallID: "i-1") }

    private var claims: [JSONValue?] { fixture.gateway.calls("POST conversations").map { $0.body["engagement"] } }

    @Test("R121 R120: the next conversation has the offer, and the one after it none")
    func routed() async throws {
        try await fixture.loginCopilot()
        fixture.gateway.offer(Self.offer)
        let engagement = try await fixture.client.getEngagement(entryPoints: ["sec://sales"])
        #expect(engagement.details?.skill == "sales")
        #expect(engagement.details?.isInConversation == false)
        #expect(try await fixture.client.openConversation() == "c-new")
        #expect(try await fixture.client.openConversation() == "c-new")
        #expect(claims == [Self.claim, nil])
        try await fixture.client.getEngagement(entryPoints: [])
        let asked = fixture.gateway.calls("POST engagements").map(\.body)
        #expect(asked.map { $0["app"]?.text } == ["app", "app"])
        #expect(asked.first?["sessionId"] == nil)
        #expect(asked.last?["sessionId"] == "visit")
    }

    @Test("R120: without an offer the earlier one is dropped; so is one that the gateway no longer accepts")
    func stale() async throws {
        try await fixture.loginCopilot()
        fixture.gateway.offer(Self.offer)
        try await fixture.client.getEngagement(entryPoints: [])
        fixture.gateway.offer(nil)
        try await fixture.client.getEngagement(entryPoints: [])
        _ = try await fixture.client.openConversation()
        fixture.gateway.offer(Self.offer)
        try await fixture.client.getEngagement(entryPoints: [])
        fixture.gateway.fail("POST conversations", .problem(410, "gone"))
        #expect(await failure { _ = try await fixture.client.openConversation() }?.code == .gone)
        _ = try await fixture.client.openConversation()
        #expect(claims == [nil, Self.claim, nil])
    }

    @Test("R79 R120: an offer of one consumer routes no conversation of another")
    func otherConsumer() async throws {
        try await fixture.loginCopilot()
        fixture.gateway.offer(Self.offer)
        try await fixture.client.getEngagement(entryPoints: [])
        try await fixture.client.initialize(.copilot(userID: "u-2"))
        _ = try await fixture.client.openConversation()
        #expect(claims == [nil])
    }

    @Test("R67: without a login it works too, is repeated, and needs the parameters of monitoring")
    func anonymous() async throws {
        try await fixture.client.initialize(.none)
        fixture.gateway.fail("POST engagements", .drop, .problem(503, "overloaded"))
        let engagement = try await fixture.client.getEngagement(entryPoints: [])
        #expect(engagement.details == nil)
        #expect(fixture.gateway.calls("POST engagements").count == 3)
        #expect(fixture.gateway.calls.allSatisfy { $0.request.headers["Authorization"] == nil })
        let other = Fixture()
        try await other.loginCopilot()
        #expect(await failure { try await other.client.getEngagement(entryPoints: []) }?.reason == "monitoring")
    }

    @Test("R62: without a login an identity is sent if it is a JWE; anything else proves nothing")
    func identity() async throws {
        try await fixture.client.initialize(.none)
        for token in ["a.b.c.d.e", FakeGateway.jwt("u-1")] {
            try await fixture.client.getEngagement(entryPoints: [], identity: AuthenticationParameters(jwt: token))
        }
        let code = AuthenticationParameters(code: "c", redirectURI: "r")
        try await fixture.client.getEngagement(entryPoints: [], identity: code)
        try await fixture.client.reconnect(AuthenticationParameters(jwt: FakeGateway.jwt("u-1")))
        try await fixture.client.getEngagement(entryPoints: [], identity: AuthenticationParameters(jwt: "a.b.c.d.e"))
        let sent = fixture.gateway.calls("POST engagements").map { $0.body["identity"]?.text }
        #expect(sent == ["a.b.c.d.e", nil, nil, nil])
    }
}
