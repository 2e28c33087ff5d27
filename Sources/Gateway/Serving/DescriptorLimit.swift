import Foundation

/// The limit of open files and sockets of this process, and its division.
enum DescriptorLimit {
    /// Descriptors that client and provider connections must not use: for the database, webhooks, log files.
    static let reserve = 256

    /// Raises the soft limit to the hard one.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            let soft = limit.rlim_cur
            limit.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = soft }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Returns the number of provider connections that fit: `wanted`, or a quarter of the limit minus the reserve; an
    /// eighth of a very small limit.
    static func providers(wanted: Int, limit: Int) -> Int {
        min(wanted, max(1, (limit - reserve) / 4, limit / 8))
    }

    /// Returns the number of client connections that fit beside the provider connections: `wanted`, or what remains of
    /// the limit minus the reserve; a half of a very small limit.
    static func connections(wanted: Int, providers: Int, limit: Int) -> Int {
        min(wanted, max(1, limit - reserve - providers, limit / 2))
    }

    /// Returns the number of messaging windows that fit beside client and provider connections: `wanted`, or what
    /// remains of the limit; at least 1.
    static func windows(wanted: Int, connections: Int, limit: Int) -> Int {
        min(wanted, max(1, limit - reserve - connections))
    }

    /// Returns whether a few more descriptors can be opened now; false when the process or the host has no more.
    ///
    /// Opens one and counts the free numbers above it. It must not use up the last ones even for a moment: libdispatch
    /// ends the process when it cannot open the files of `/proc` with which it monitors its threads.
    static func hasRoom(for count: Int = 16) -> Bool {
        // The lowest free number (fcntl(2)).
        let lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        // Only EMFILE and ENFILE count; other errors, such as a closed standard error, are not about the limit.
        guard lowest >= 0 else { return errno != EMFILE && errno != ENFILE }
        close(lowest)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        var free = 0
        var number = lowest
        while free < count, number < Int32(clamping: limit.rlim_cur) {
            if fcntl(number, F_GETFD) < 0 { free += 1 }
            number += 1
        }
        return free >= count
    }
}
