/// A wall clock that no jump of the machine's reaches: it goes on by the monotonic clock and follows the machine's wall
/// clock at no more than a tenth of its own pace.
///
/// So an hour's jump stretches or shortens a waiting time by a tenth at most, and is made up for after ten hours; what a
/// time daemon slews (RFC 5905: 500 parts in a million) is followed at once. A plain value; all times in nanoseconds.
struct SteadyTime {
    /// How much of the elapsed time may be added or taken away: one part in so many.
    private static let pace: Int64 = 10
    /// A difference that is worth telling: one second.
    private static let jump: Int64 = 1_000_000_000

    /// What the steady time is ahead of the monotonic clock.
    private var offset: Int64
    private var last: Int64
    private var isOff = false

    /// Begins at a time, or at the wall clock; that they differ is no jump.
    init(at start: Int64? = nil, wall: Int64, monotonic: Int64) {
        let start = start ?? wall
        offset = start - monotonic
        last = monotonic
        isOff = abs(wall - start) > Self.jump
    }

    /// The steady time, and by how much the wall clock has jumped away from it, once for each jump.
    mutating func read(wall: Int64, monotonic: Int64) -> (now: Int64, jump: Int64?) {
        // Readings of several threads may come in another order than they were made.
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
