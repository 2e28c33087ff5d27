import Cryptography
import GatewayModel
import TestSupport
import Testing

@testable import PushProviders

/// Provider tokens of several connections of one lane: Apple counts them by connection.
@Suite("APNs dialect")
struct APNsDialectTests {
    private let clock = TestClock()
    private let dialect: APNsDialect
    private let first = UInt64(1)
    private let second = UInt64(2)

    init() throws {
        let key = P256.PrivateKey()
        let settings = APNsSettings(
            teamId: "ABCDE12345",
            keyId: "KEY1234567",
            privateKey: key.pemRepresentation,
            topic: "com.example"
        )
        dialect = APNsDialect(
            try APNsCredential(settings, environment: .production, now: clock.now),
            brand: TestMessages.brand,
            app: AppSettings(platform: .ios, apns: settings),
            signer: ProviderTokenSigner(teamID: "T", keyID: "K", key: key)
        )
    }

    private func token(_ connection: UInt64) throws -> UInt64 {
        try #require(dialect.authorization(of: connection, Moment(clock))).token
    }

    @Test("a connection that opens late uses the newest token and keeps it while the older one changes")
    func newestAtFirstUse() throws {
        let early = try token(first)
        clock.advance(seconds: 40 * 60)
        let late = try token(second)
        #expect(late != early)
        #expect(try token(first) == early)
        clock.advance(seconds: 10 * 60)
        #expect(try token(first) == late)
        #expect(try token(second) == late)
    }

    @Test("an expired token is renewed once for all its connections, and on each only after it failed there")
    func renewedOnce() throws {
        let old = try token(first)
        #expect(try token(second) == old)
        #expect(dialect.renewToken(failed: old, on: first, now: Moment(clock)))
        let new = try token(first)
        #expect(new != old)
        #expect(try token(second) == old)
        #expect(dialect.renewToken(failed: old, on: second, now: Moment(clock)))
        #expect(try token(second) == new)
    }

    @Test("connections that may change do not wait until the expired token fails on them too")
    func renewedEverywhere() throws {
        let old = try token(first)
        #expect(try token(second) == old)
        clock.advance(seconds: 19 * 60)
        let third = UInt64(3)
        #expect(try token(third) == old)
        clock.advance(seconds: 60)
        #expect(dialect.renewToken(failed: old, on: first, now: Moment(clock)))
        let new = try token(first)
        #expect(try token(second) == new)
        // Changed after a minute, Apple would reject the new one here.
        #expect(try token(third) == old)
    }

    @Test("a connection that ended leaves no state for the next one")
    func ended() throws {
        let old = try token(first)
        clock.advance(seconds: 30 * 60)
        #expect(try token(first) == old)
        dialect.connectionEnded(first)
        #expect(try token(first) != old)
    }
}
