import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Repetitions", .timeLimit(.minutes(15)))
struct RetryTests {
    private static let standard: [Duration] = [1, 2, 4, 8, 16].map { .seconds($0) }

    @Test("R66 trap 16: six attempts in 31 s, then the call fails")
    func standard() {
        var schedule = RetrySchedule(.standard)
        var waits: [Duration] = []
        while case .wait(let wait) = schedule.failed(SwitchboardError(.connectivity, "")) { waits.append(wait) }
        #expect(waits == Self.standard)
        #expect(waits.reduce(.zero, +) == .seconds(31))
    }

    @Test(
        "R67 trap 34: only errors that may pass are repeated",
        arguments: SwitchboardError.Code.Value.allCases.map { SwitchboardError.Code(value: $0) }
    )
    func codes(code: SwitchboardError.Code) {
        let passing: Set<SwitchboardError.Code> = [
            .connectivity, .rateLimited, .overloaded, .server, .malformedResponse,
        ]
        var schedule = RetrySchedule(.standard)
        let step = schedule.failed(SwitchboardError(code, ""))
        #expect((step == .fail) == !passing.contains(code))
    }

    @Test("a Retry-After lengthens a wait, and one that is too long ends the call")
    func retryAfter() {
        var schedule = RetrySchedule(.standard)
        #expect(schedule.failed(.init(.overloaded, "", retryAfter: .seconds(7))) == .wait(.seconds(7)))
        #expect(schedule.failed(.init(.overloaded, "", retryAfter: .seconds(1))) == .wait(.seconds(2)))
        #expect(schedule.failed(.init(.overloaded, "", retryAfter: .seconds(61))) == .fail)
    }

    @Test("R67 trap 16: policies differ by call", arguments: [[3, 5], [], [10, 30, 90]])
    func perTarget(delays: [Int]) async throws {
        let fixture = Fixture(clock: TestClock { _ in true }) {
            $0.retry.unread = RetryPolicy(delays: delays.map { .seconds($0) })
            $0.retry.registration = .none
        }
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u"))))
        fixture.gateway.fail("GET unread", .drop, times: 9)
        fixture.gateway.fail("PUT device", .drop)
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .connectivity)
        #expect(fixture.clock.sleeps == delays.map { .seconds($0) })
        #expect(await failure { try await fixture.client.registerPush(Fixture.push) }?.code == .connectivity)
        #expect(fixture.gateway.calls("PUT device").count == 1)
    }

    @Test(
        "R68: errors of the gateway that pass are not seen by the caller",
        arguments: [
            FakeGateway.Fault.drop, .dropResponse, .problem(500, "internal"), .problem(502, "upstream_unavailable"),
            .problem(503, "overloaded", retryAfter: 2), .problem(429, "rate_limited", retryAfter: 3), .garbage(200),
            .garbage(502), .empty(200),
        ]
    )
    func oneOutcome(fault: FakeGateway.Fault) async throws {
        let fixture = Fixture()
        fixture.gateway.setUnread(4, for: "u")
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u"))))
        fixture.gateway.fail("GET unread", fault, times: 3)
        fixture.gateway.fail("POST sessions", fault, times: 2)
        #expect(try await fixture.client.unreadCount() == 4)
        #expect(fixture.clock.sleeps.count == 5)
    }

    @Test(
        "R68: errors that stay end the call at once, with their code",
        arguments: [
            (FakeGateway.Fault.problem(403, "forbidden"), SwitchboardError.Code.forbidden),
            (.problem(404, "not_found"), .notFound), (.problem(409, "conflict"), .conflict),
            (.problem(410, "gone"), .gone), (.problem(422, "invalid_request"), .invalidRequest),
            (.garbage(403), .forbidden), (.garbage(404), .notFound), (.garbage(413), .invalidRequest),
        ]
    )
    func permanent(fault: FakeGateway.Fault, code: SwitchboardError.Code) async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u"))))
        fixture.gateway.fail("GET unread", fault)
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == code)
        #expect(fixture.gateway.calls("GET unread").count == 1)
        #expect(fixture.clock.sleeps.isEmpty)
    }

    @Test("R67: after all repetitions of a registration its failure is reported once")
    func registration() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.loginCopilot()
        fixture.gateway.fail("PUT device", .drop, times: 6)
        #expect(await failure { try await fixture.client.registerPush(Fixture.push) }?.code == .connectivity)
        #expect(fixture.clock.sleeps.filter { $0 != .seconds(30) } == Self.standard)
        let failures = await recorder.all.filter {
            if case .registrationFailed = $0 { true } else { false }
        }
        #expect(failures.count == 1)
        #expect(try await fixture.client.registerPush(Fixture.push) == .registered)
    }

    @Test("a problem, an adaptor's envelope and a foreign body are read as errors")
    func bodies() {
        let problem = HTTPResponse(
            status: 401,
            headers: ["X-Request-ID": "h"],
            body: Data(#"{"code":"token_invalid","reason":"revoked","detail":"no","requestId":"r"}"#.utf8)
        ).failure
        #expect(problem == SwitchboardError(.authenticationFailed, "no", reason: "revoked", requestID: "r"))
        let envelope = HTTPResponse(
            status: 401,
            body: Data(#"{"error":{"code":"token_expired","reason":null,"message":"old","requestId":"q"}}"#.utf8)
        ).failure
        #expect(envelope == SwitchboardError(.tokenExpired, "old", requestID: "q"))
        let long = String(repeating: "é", count: 600)
        let bounded = HTTPResponse(status: 409, body: Data(#"{"detail":"\#(long)","reason":"\#(long)"}"#.utf8)).failure
        #expect(bounded.message == String(repeating: "é", count: 512) && bounded.reason == bounded.message)
        let foreign = HTTPResponse(status: 503, headers: ["Retry-After": "5"], body: Data("<p>".utf8)).failure
        #expect(foreign.code == .overloaded)
        #expect(foreign.retryAfter == .seconds(5))
        #expect(HTTPResponse(status: 302).failure.code == .malformedResponse)
        #expect(HTTPResponse(status: 499, body: Data(#"{"code":"brand_new"}"#.utf8)).failure.code == .invalidRequest)
    }
}
