import Testing

@testable import HTTP2Connections

/// Shares in a class, so that an expectation may change them.
private final class Shares {
    private var value: ConnectionShares

    init(capacity: Int) { value = ConnectionShares(capacity: capacity) }

    var count: Int { value.count }
    subscript(pool: UInt64) -> Int { value[pool] }
    func take(_ pool: UInt64, isNeeded: Bool) -> Bool { value.take(pool, isNeeded: isNeeded) }
    func release(_ pool: UInt64) { value.release(pool) }
    func nextToAsk() -> UInt64? { value.nextToAsk() }
}

@Suite("Connection shares")
struct ConnectionSharesTests {
    @Test("further connections use one half; a pool without a connection gets one while a slot is free")
    func halves() {
        let shares = Shares(capacity: 6)
        for isNeeded in [true, false, false] { #expect(shares.take(1, isNeeded: isNeeded)) }
        #expect(!shares.take(1, isNeeded: false))
        #expect(!shares.take(2, isNeeded: false))
        for pool in 2...4 as ClosedRange<UInt64> { #expect(shares.take(pool, isNeeded: true)) }
        #expect(!shares.take(5, isNeeded: true))
        #expect(shares.count == 6)
        shares.release(1)
        #expect(shares.take(5, isNeeded: true))
        #expect(shares[1] == 2)
        #expect(shares[5] == 1)
    }

    @Test("a pool with several is asked for one, and again after it has released one, until it has one")
    func asking() {
        let shares = Shares(capacity: 10)
        for isNeeded in [true, false, false] { #expect(shares.take(1, isNeeded: isNeeded)) }
        #expect(shares.take(2, isNeeded: true))
        #expect(shares.nextToAsk() == 1)
        #expect(shares.nextToAsk() == nil)
        shares.release(1)
        #expect(shares.nextToAsk() == 1)
        shares.release(1)
        #expect(shares.nextToAsk() == nil)
        shares.release(1)
        shares.release(2)
        #expect(shares.count == 0)
        #expect(shares.nextToAsk() == nil)
    }

    @Test("a single slot goes to the pool that needs it")
    func single() {
        let shares = Shares(capacity: 1)
        #expect(!shares.take(1, isNeeded: false))
        #expect(shares.take(1, isNeeded: true))
        #expect(!shares.take(2, isNeeded: true))
        shares.release(1)
        #expect(shares.take(2, isNeeded: true))
    }
}
