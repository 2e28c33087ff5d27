/// A wall clock without jumps: it advances with the monotonic clock and slews towards the host's wall clock by at most
/// a tenth of its own pace.
///
/// So an hour's jump stretches or shortens a waiting time by a tenth at most, and is caught up after ten hours; what a
/// time daemon slews (RFC 5905: 500 parts in a million) is followed at once. A plain value; all times in nanoseconds.
struct SteadyTime {
    /// The maximum correction as a part of the elapsed time: one part in so many.
    private static let pace: Int64 = 10
    /// The difference from which a jump is reported: one second.
    private static let jump: Int64 = 1_000_000_000

    /// The difference between the steady time and the monotonic clock.
    private var offset: Int64
    private var last: Int64
    private var isOff = false

    /// Creates a time that begins at a given time, or at the wall clock; a difference between the two is not a jump.
    init(at start: Int64? = nil, wall: Int64, monotonic: Int64) {
        let start = start ?? wall
        offset = start - monotonic
        last = monotonic
        isOff = abs(wall - start) > Self.jump
    }

    /// Returns the steady time, and the size of a jump of the wall clock, once for each jump.
    mutating func read(wall: Int64, monotonic: Int64) -> (now: Int64, jump: Int64?) {
        // Readings of several threads may arrive in another order than they were taken.
        let elapsed = max(monotonic - last, 0)
        last = max(last, monotonic)
        let difference = wall - (last + offset)
        let most = elapsed / Self.pace
        offset += min(max(difference, -most), most)
        let wasOff = isOff
        isOff = abs(difference) > Self.jump
        return (last + offset, isOff && !wasOff ? difference : nil)
    }
}
