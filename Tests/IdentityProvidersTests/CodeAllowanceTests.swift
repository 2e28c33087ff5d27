import GatewayModel
import Identity
import Telemetry
import TestSupport
import Testing

@testable import IdentityProviders

@Suite("The rate limit of one provider's codes", .timeLimit(.minutes(10)))
struct CodeAllowanceTests {
    private typealias Fixture = ProviderFixture

    @Test("allows a burst of five seconds' worth, then the rate, separately for each provider")
    func rate() {
        let clock = TestClock()
        let allowance = CodeAllowance(clock: clock)
        for _ in 0..<250 { #expect(allowance.take("a") == nil) }
        #expect(allowance.take("a") == 1)
        #expect(allowance.take("b") == nil)
        clock.advance(seconds: 1)
        for _ in 0..<50 { #expect(allowance.take("a") == nil) }
        #expect(allowance.take("a") == 1)
        // Each provider has its own bucket, however many there are.
        for number in 0..<3000 { #expect(allowance.take("p-\(number)") == nil) }
        #expect(allowance.take("a") == 1)
        clock.advance(seconds: 3600)
        for _ in 0..<250 { #expect(allowance.take("a") == nil) }
        #expect(allowance.take("a") == 1)
    }

    @Test("marks invented codes as used up to a limit, and those beyond it not at all")
    func garbage() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider()
                let wrong = Fixture.redirectURI + "/"
                for number in 0..<250 {
                    let refused = await gateway.rejection("x-\(number)", redirectURI: wrong)
                    #expect(refused == .tokenInvalid(.redirectMismatch))
                }
                fixture.issue("good")
                #expect(await gateway.rejection("good") == .limited(retryAfterSeconds: 1))
                #expect(fixture.asked == 0)
                fixture.clock.advance(seconds: 1)
                #expect(await gateway.rejection("good") == nil)
                let text = fixture.registry.render()
                #expect(text.contains(#"switchboard_identity_code_exchanges_total{result="limited"} 1"#))
            }
        }
    }
}
