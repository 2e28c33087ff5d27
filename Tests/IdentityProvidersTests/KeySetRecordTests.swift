import Identity
import Testing

@testable import IdentityProviders

@Suite("The cached record of a JWK set")
struct KeySetRecordTests {
    private static let second: UInt64 = 1_000_000_000
    private static let set = JWKSet(Array(#"{"keys":[]}"#.utf8))

    @Test("counts a moment before its own as the same moment", arguments: [0, 1, 99 * second, 100 * second])
    func earlier(now: UInt64) throws {
        let moment = 100 * Self.second
        var record = KeySetRecord()
        record.asked(now: moment)
        record.succeeded(try #require(Self.set), askedAt: moment)
        #expect(record.kept(now: now) != nil)
        #expect(!record.isReadDue(isKnown: true, now: now) && !record.isReadDue(isKnown: false, now: now))
        record.failed("fault", now: moment)
        #expect(record.kept(now: now) != nil && !record.isReadDue(isKnown: false, now: now))
    }
}
