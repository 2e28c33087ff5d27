import GatewayModel
import GatewayStorage
import PushSimulator
import TestSupport
import Testing

@Suite("The wait of a push after a Retry-After", .timeLimit(.minutes(10)))
struct RetryAfterTests {
    /// The field, the provider, and the expected minimum wait in seconds; up to a fifth is added.
    static let rows: [(String, PushType, Int64)] = [
        ("40", .apns, 40), ("40", .fcm, 40),
        // No clock difference makes a wait shorter than our own.
        ("0", .apns, 5), ("1", .apns, 5), ("1", .fcm, 10),
        // 90 s after the test's start, of which 22 minutes have passed.
        ("Fri, 15 Jan 2027 08:23:30 GMT", .apns, 90), ("Fri, 15 Jan 2027 08:23:30 GMT", .fcm, 90),
        ("Friday, 15-Jan-27 08:23:30 GMT", .apns, 90), ("Fri Jan 15 08:23:30 2027", .apns, 90),
        ("Fri, 15 Jan 2021 08:23:30 GMT", .apns, 5),
        // At most an hour: no header field stops a lane for a day.
        ("86400", .apns, 3600), ("99999999999999999999", .fcm, 3600),
        ("soon", .apns, 5), ("-5", .apns, 5), ("1.5", .fcm, 10), ("40, 50", .apns, 5),
    ]

    @Test("Retry-After in any form", arguments: rows)
    func wait(field: String, provider: PushType, seconds: Int64) async throws {
        try await SendingFixture.run { fixture in
            let device = Device.of(provider, "slow", token: "bad0")
            try await fixture.register(device)
            fixture.clock.advance(seconds: 22 * 60)
            fixture.simulator.setRules([
                SimulatorRule(
                    match: .init(tokenPrefix: "bad0"),
                    action: RuleAction(status: 503, retryAfter: field)
                )
            ])
            try await fixture.post(to: [device])
            let record = try await fixture.outcomes(of: device, count: 1)[0]
            #expect(record.response?.status == 503)
            guard case .retry(let due) = record.disposition else {
                Issue.record("not tried again: \(record.disposition)")
                return
            }
            let wait = due.milliseconds - fixture.clock.now.milliseconds
            #expect(wait >= seconds * 1000 && wait <= seconds * 1200, "\(wait) ms")
        }
    }
}
