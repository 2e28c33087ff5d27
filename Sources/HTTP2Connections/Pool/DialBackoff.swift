/// The wait before the next dial after `n` fruitless connections in a row.
///
/// `min(cap, base * 2^(n-1)) * j` with `j` drawn from 0.5 up to 1. With base 250 ms and cap 30 s: 125-250 ms, 250-500
/// ms, 0.5-1 s, 1-2 s, 2-4 s, 4-8 s, 8-16 s, then 15-30 s each time. A connection is fruitless when it brought no
/// response.
///
/// Dials do not burden an unreachable peer, and its backlog grows: it is dialled at least every `silentCap`.
struct DialBackoff {
    var base: UInt64
    var cap: UInt64
    var silentCap: UInt64

    /// Returns the wait in nanoseconds after that many failures; 0 after 0 failures.
    ///
    /// `isSilent` is whether the last one received nothing from the peer; `random` is any 64 random bits.
    func wait(failures: Int, isSilent: Bool, random: UInt64) -> UInt64 {
        guard failures > 0 else { return 0 }
        let cap = isSilent ? min(cap, silentCap) : cap
        let exponent = min(failures - 1, 32)
        let full = min(
            cap,
            base.multipliedReportingOverflow(by: 1 << UInt64(exponent)).overflow ? cap : base << exponent
        )
        let half = full / 2
        return half + (full > half ? random % (full - half + 1) : 0)
    }
}
