#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A text that is expensive to normalise (UAX #15), and what reading it costs.
package enum HostileText {
    /// A letter and combining marks of two classes, which normalisation must sort.
    ///
    /// - Parameter bytes: About how many bytes of UTF-8.
    /// - Returns: The text.
    package static func marks(bytes: Int) -> String { "a" + String(repeating: "\u{301}\u{316}", count: bytes / 4) }

    /// Whether reading costs no more than the text's length: twice the text costs at most three times the CPU time, or the
    /// whole at most 1 ms for each KB of it.
    ///
    /// - Parameters:
    ///   - bytes: How long the longer text is.
    ///   - read: What reads the text, on the calling thread alone.
    /// - Returns: False when every one of four tries took too long.
    /// - Throws: What `read` throws.
    package static func isLinear(bytes: Int = 65_536, _ read: (String) throws -> Void) rethrows -> Bool {
        for _ in 0..<4 {
            let half = try milliseconds { try read(marks(bytes: bytes / 2)) }
            let whole = try milliseconds { try read(marks(bytes: bytes)) }
            if whole <= 3 * half || whole <= Double(bytes) / 1024 { return true }
        }
        return false
    }

    /// The CPU time of the calling thread, so that others do not count.
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
