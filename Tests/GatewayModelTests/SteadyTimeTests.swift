import Testing

@testable import GatewayModel

@Suite("The steady time")
struct SteadyTimeTests {
    private static let second: Int64 = 1_000_000_000
    private static let hour: Int64 = 3600 * second
    private static let start: Int64 = 1_767_323_045 * second

    @Test("equals the wall clock while that does not jump, also when it is slewed")
    func follows() {
        var time = SteadyTime(wall: Self.start, monotonic: 5)
        for step in 1...1000 {
            let elapsed = Int64(step) * Self.second
            // 500 parts in a million, the maximum slew of a time daemon.
            let wall = Self.start + elapsed + elapsed / 2000
            let read = time.read(wall: wall, monotonic: 5 + elapsed)
            #expect(read.now == wall)
            #expect(read.jump == nil)
        }
    }

    @Test("a jump of an hour is reported once and followed at a tenth of the pace", arguments: [hour, -hour])
    func jump(by difference: Int64) {
        var time = SteadyTime(wall: Self.start, monotonic: 0)
        let first = time.read(wall: Self.start + Self.second + difference, monotonic: Self.second)
        #expect(first.jump == difference)
        var last = first.now
        var jumps = 0
        for step in 2...3600 {
            let elapsed = Int64(step) * Self.second
            let read = time.read(wall: Self.start + elapsed + difference, monotonic: elapsed)
            let pace = read.now - last
            #expect(pace >= Self.second * 9 / 10 && pace <= Self.second * 11 / 10)
            if read.jump != nil { jumps += 1 }
            last = read.now
        }
        #expect(jumps == 0)
        #expect(abs(last - (Self.start + Self.hour)) <= Self.hour / 10)
        // After ten hours and a little it is the wall clock again.
        let elapsed = 11 * Self.hour
        #expect(
            time.read(wall: Self.start + elapsed + difference, monotonic: elapsed).now == Self.start + elapsed
                + difference
        )
    }

    @Test("never goes back, for any clock readings")
    func monotonic() {
        var time = SteadyTime(wall: Self.start, monotonic: 0)
        var generator = SystemRandomNumberGenerator()
        var last = time.read(wall: Self.start, monotonic: 0).now
        var monotonic: Int64 = 0
        for _ in 0..<10_000 {
            monotonic += Int64.random(in: -1000...Self.second, using: &generator)
            let wall = Self.start + monotonic + Int64.random(in: -Self.hour...Self.hour, using: &generator)
            let now = time.read(wall: wall, monotonic: monotonic).now
            #expect(now >= last)
            last = now
        }
    }

    @Test("a steady time that begins ahead of an old wall clock runs at nearly its own pace, until that clock is set")
    func beginsAhead() {
        let year = 365 * 24 * Self.hour
        var time = SteadyTime(at: Self.start, wall: Self.start - year, monotonic: 0)
        var last = Self.start
        for step in 1...100 {
            let elapsed = Int64(step) * Self.second
            let read = time.read(wall: Self.start - year + elapsed, monotonic: elapsed)
            #expect(read.jump == nil && read.now - last == Self.second * 9 / 10)
            last = read.now
        }
        let elapsed = 1000 * Self.second
        #expect(time.read(wall: Self.start + elapsed, monotonic: elapsed).now > last)
        #expect(time.read(wall: Self.start + 2 * elapsed, monotonic: 2 * elapsed).now == Self.start + 2 * elapsed)
    }

    @Test("two jumps are reported twice")
    func twice() {
        var time = SteadyTime(wall: Self.start, monotonic: 0)
        #expect(time.read(wall: Self.start + Self.hour, monotonic: 1).jump == Self.hour - 1)
        // Back to the old time.
        #expect(time.read(wall: Self.start + 2, monotonic: 2).jump == nil)
        #expect(time.read(wall: Self.start - Self.hour, monotonic: 3).jump != nil)
    }
}
