import Testing

@testable import Identity

@Suite("Waits after wrong passwords", .timeLimit(.minutes(10)))
struct SignInBackoffTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 5_000_000_000_000

    @Test("three attempts are free; then waits double up to the longest, and end an hour after the last attempt")
    func doubling() {
        var waits = SignInBackoff<String>(longestSeconds: 10)
        var now = Self.start
        var seen: [Int] = []
        for _ in 0..<9 {
            waits.begin("dana", now: now)
            let wait = waits.wait("dana", now: now) ?? 0
            seen.append(wait)
            #expect(waits.wait("bob", now: now) == nil)
            if wait > 0 { #expect(waits.wait("dana", now: now + UInt64(wait) * Self.second - 1) == 1) }
            now += UInt64(wait) * Self.second
            #expect(waits.wait("dana", now: now) == nil)
        }
        #expect(seen == [0, 0, 0, 1, 2, 4, 8, 10, 10])
        now += 3600 * Self.second
        waits.begin("dana", now: now)
        #expect(waits.wait("dana", now: now) == nil)
    }

    @Test("an attempt that proves right is not counted, and clears only what it counted itself")
    func right() {
        var waits = SignInBackoff<String>(longestSeconds: 10)
        for _ in 0..<10 {
            waits.begin("address", now: Self.start)
            waits.undo("address", now: Self.start)
        }
        #expect(waits.count == 0)
        for _ in 0..<4 { waits.begin("address", now: Self.start) }
        #expect(waits.wait("address", now: Self.start) == 1)
        let later = Self.start + Self.second
        waits.begin("address", now: later)
        waits.undo("address", now: later)
        #expect(waits.wait("address", now: later) == nil)
        waits.begin("address", now: later)
        #expect(waits.wait("address", now: later) == 2)
        waits.forget("address")
        #expect(waits.wait("address", now: later) == nil && waits.count == 0)
        waits.undo("nobody", now: later)
    }

    @Test("memory is limited for any number of names, and those who wait stay while others leave room")
    func bounded() {
        var waits = SignInBackoff<Int>(longestSeconds: 10, capacity: 100)
        for _ in 0..<4 { waits.begin(-1, now: Self.start) }
        for name in 0..<1000 {
            waits.begin(name, now: Self.start)
            #expect(waits.count <= 100)
        }
        #expect(waits.wait(-1, now: Self.start) == 1)
        // All wait: there is no room but by forgetting.
        for name in 0..<300 {
            for _ in 0..<4 { waits.begin(name, now: Self.start) }
            #expect(waits.count <= 100)
        }
    }
}
