import Cryptography
import GatewayModel
import TestSupport
import Testing

@testable import PushProviders

@Suite struct ConnectionTokenTests {
    private let clock = TestClock()
    private let signer = ProviderTokenSigner(teamID: "T", keyID: "K", key: P256.PrivateKey())

    @Test("a token is signed on use, at most every 25 minutes")
    func signing() throws {
        let first = try #require(signer.newest(Moment(clock)))
        clock.advance(seconds: 25 * 60 - 1)
        #expect(signer.newest(Moment(clock))?.number == first.number)
        clock.advance(seconds: 1)
        #expect(signer.newest(Moment(clock))?.number != first.number)
    }

    @Test("whenever connections open and however long they idle, none uses two tokens within 20 minutes")
    func neverTwoTokensWithin20Minutes() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var connection = ConnectionToken()
            var seen: [(number: UInt64, since: UInt64)] = []
            for _ in 0..<60 {
                clock.advance(seconds: Int64.random(in: 1...1500, using: &random))
                let now = Moment(clock)
                // Other lanes use the key too.
                if Bool.random(using: &random) { _ = signer.newest(now) }
                let used = connection.token(now, newest: signer.newest)
                let token = try #require(used)
                #expect(now.seconds(since: token.signedAt) < 3600)
                if seen.last?.number != token.number {
                    if let last = seen.last { #expect(now.seconds(since: last.since) >= 20 * 60) }
                    seen.append((token.number, now.monotonic))
                }
            }
        }
    }

    @Test("renewing is a compare and swap, and not repeated within 20 minutes")
    func renewing() throws {
        let first = try #require(signer.newest(Moment(clock)))
        let second = try #require(signer.renewed(failed: first.number, Moment(clock)))
        #expect(second.number != first.number)
        #expect(signer.renewed(failed: first.number, Moment(clock))?.number == second.number)
        #expect(signer.renewed(failed: second.number, Moment(clock)) == nil)
        clock.advance(seconds: 20 * 60)
        #expect(signer.renewed(failed: second.number, Moment(clock))?.number != second.number)
    }

    @Test("with a kept old token, a connection changes before Apple's hour ends")
    func keepOld() throws {
        var connection = ConnectionToken()
        let first = connection.token(Moment(clock), newest: signer.newest)
        let old = try #require(first)
        clock.advance(seconds: 50 * 60)
        let second = connection.token(Moment(clock), newest: signer.newest)
        let new = try #require(second)
        #expect(new.number != old.number)
        connection.keepOld(failed: new.number, Moment(clock))
        let oldAgain = connection.token(Moment(clock), newest: signer.newest)
        #expect(oldAgain?.number == old.number)
        clock.advance(seconds: 7 * 60)
        let newAgain = connection.token(Moment(clock), newest: signer.newest)
        #expect(newAgain?.number == new.number)
    }
}
