import GatewayModel
import GatewayStorage
import TestSupport
import Testing

@testable import Identity

@Suite("The session cache")
struct SessionCacheTests {
    private static let now = Timestamp(milliseconds: 1_767_323_045_678)

    private static func session(
        _ number: Int,
        _ consumer: String,
        brand: String = "acme",
        device: String? = nil,
        credential: String? = nil,
        seconds: Int64 = 3600
    ) -> StoredSession {
        StoredSession(
            tokenHash: SecretHash.sha256("\(number)".utf8),
            brand: BrandID(trusted: brand),
            consumer: ConsumerID(trusted: consumer),
            device: device.map(DeviceID.init(trusted:)),
            credential: credential,
            expiresAt: now.adding(seconds: seconds),
            createdAt: now
        )
    }

    private static func find(_ cache: inout SessionCache, _ session: StoredSession) -> StoredSession? {
        cache.session(SessionCache.Key(session.tokenHash), tokenHash: session.tokenHash)
    }

    @Test("returns an inserted session with all its parts")
    func whole() {
        var cache = SessionCache(limit: 8)
        let sessions = [
            Self.session(1, "u-1"), Self.session(2, "u-1", device: "d-1", credential: "key-1"),
            Self.session(3, "u-2", brand: "other", credential: "key-2"),
        ]
        for session in sessions { cache.insert(session, SessionCache.Key(session.tokenHash), now: Self.now) }
        for session in sessions { #expect(Self.find(&cache, session) == session) }
        #expect(Self.find(&cache, Self.session(4, "u-1")) == nil)
    }

    @Test("keeps a brand's few sessions while another has very many")
    func shares() {
        var cache = SessionCache(limit: 1000)
        let few = (0..<100).map { Self.session($0, "u-\($0)", brand: "small") }
        for session in few { cache.insert(session, SessionCache.Key(session.tokenHash), now: Self.now) }
        for number in 0..<5000 {
            let session = Self.session(1000 + number, "u-\(number)", brand: "big")
            cache.insert(session, SessionCache.Key(session.tokenHash), now: Self.now)
        }
        let kept = few.count { Self.find(&cache, $0) != nil }
        #expect(kept == few.count && cache.count <= 1000 && cache.count > 800)
    }

    @Test("a name that was ended and is used again does not bring its sessions back")
    func deadNames() {
        var cache = SessionCache(limit: 8)
        let old = Self.session(1, "u-1", credential: "key-1")
        cache.insert(old, SessionCache.Key(old.tokenHash), now: Self.now)
        cache.remove(brand: BrandID(trusted: "acme"))
        let new = Self.session(2, "u-1", credential: "key-1")
        cache.insert(new, SessionCache.Key(new.tokenHash), now: Self.now)
        #expect(Self.find(&cache, new) == new)
        #expect(Self.find(&cache, old) == nil)
        cache.remove(credential: "key-1")
        #expect(Self.find(&cache, new) == nil)
        #expect(cache.count == 0)
    }

    @Test(
        "behaves like a plain dictionary for any order of changes, and evicts some when it is full",
        arguments: 1...4,
        [10_000, 16]
    )
    func likeATable(seed: UInt64, limit: Int) {
        var random = SplitMix(seed: seed)
        var cache = SessionCache(limit: limit)
        var table: [Int: StoredSession] = [:]
        var made: [StoredSession] = []
        func any(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        for step in 0..<6000 {
            let (brand, consumer) = ("b-\(any(0..<2))", "u-\(any(0..<5))")
            switch any(0..<100) {
            case 0..<60:
                let device = any(0..<3) == 0 ? nil : "d-\(any(0..<3))"
                let credential = any(0..<2) == 0 ? nil : "key-\(any(0..<4))"
                let session = Self.session(step, consumer, brand: brand, device: device, credential: credential)
                cache.insert(session, SessionCache.Key(session.tokenHash), now: Self.now)
                table[made.count] = session
                made.append(session)
            case 60..<90:
                cache.remove(brand: BrandID(trusted: brand), consumer: ConsumerID(trusted: consumer))
                table = table.filter { $0.value.brand.rawValue != brand || $0.value.consumer.rawValue != consumer }
            case 90..<97:
                let credential = "key-\(any(0..<4))"
                cache.remove(credential: credential)
                table = table.filter { $0.value.credential != credential }
            default:
                cache.remove(brand: BrandID(trusted: brand))
                table = table.filter { $0.value.brand.rawValue != brand }
            }
            guard step % 50 == 0 else { continue }
            var found = 0
            for (place, session) in made.enumerated() {
                let kept = Self.find(&cache, session)
                if kept != nil { found += 1 }
                guard kept == table[place] || limit < made.count && kept == nil else {
                    Issue.record("session \(place) after step \(step)")
                    return
                }
            }
            #expect(cache.count == found)
            if limit > made.count { #expect(found == table.count) } else { #expect(found <= limit) }
        }
    }
}
