#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A text that is expensive to normalize (UAX #15), and a check of the cost of reading it.
package enum HostileText {
    /// Returns a letter and combining marks of two classes, which normalization must sort, in about that many bytes.
    package static func marks(bytes: Int) -> String { "a" + String(repeating: "\u{301}\u{316}", count: bytes / 4) }

    /// Returns whether the cost of reading is linear in the text's length: twice the text costs at most three times the
    /// CPU time, or the whole at most 1 ms for each KB of it.
    ///
    /// The longer text has `bytes` bytes. `read` reads a text, only on the calling thread. False when every one of four
    /// tries took too long.
    package static func isLinear(bytes: Int = 65_536, _ read: (String) throws -> Void) rethrows -> Bool {
        for _ in 0..<4 {
            let half = try milliseconds { try read(marks(bytes: bytes / 2)) }
            let whole = try milliseconds { try read(marks(bytes: bytes)) }
            if whole <= 3 * half || whole <= Double(bytes) / 1024 { return true }
        }
        return false
    }

    /// Returns the CPU time of the calling thread only.
    private static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
        let before = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        try work()
        return Double(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before) / 1e6
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
