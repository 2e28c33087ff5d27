import Foundation

/// How many files and sockets this process may have open.
enum DescriptorLimit {
    /// Kept free of connections of callers and to providers: for the database, webhooks, logs.
    static let reserve = 256

    /// Raises the soft limit to the hard one.
    ///
    /// - Returns: The limit that holds then.
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

    /// How many connections to providers fit.
    ///
    /// - Parameters:
    ///   - wanted: What the settings say.
    ///   - limit: How many descriptors there may be.
    /// - Returns: What is wanted, or a quarter of what the limit leaves beside the reserve, of a very small limit an eighth.
    static func providers(wanted: Int, limit: Int) -> Int {
        min(wanted, max(1, (limit - reserve) / 4, limit / 8))
    }

    /// How many connections of callers fit beside those to providers.
    ///
    /// - Parameters:
    ///   - wanted: What the settings say.
    ///   - providers: How many connections there may be to providers.
    ///   - limit: How many descriptors there may be.
    /// - Returns: What is wanted, or what the limit leaves beside the reserve; of a very small limit it is a half.
    static func connections(wanted: Int, providers: Int, limit: Int) -> Int {
        min(wanted, max(1, limit - reserve - providers, limit / 2))
    }

    /// How many messaging windows fit beside other connections.
    ///
    /// - Parameters:
    ///   - wanted: What the settings say.
    ///   - connections: How many connections there may be besides, of callers and to providers.
    ///   - limit: How many descriptors there may be.
    /// - Returns: What is wanted, or what the limit leaves; never none.
    static func windows(wanted: Int, connections: Int, limit: Int) -> Int {
        min(wanted, max(1, limit - reserve - connections))
    }

    /// Whether a few more descriptors can be opened now.
    ///
    /// Opens one and looks how many numbers above it are free, since it must not take the last ones even for a moment:
    /// libdispatch ends the process when it cannot open the files of `/proc` in which it looks after its threads.
    ///
    /// - Parameter count: How many must be left.
    /// - Returns: False when the process or the machine has no more.
    static func hasRoom(for count: Int = 16) -> Bool {
        // The lowest free number (fcntl(2)).
        let lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        // Only a full table counts: with its standard error closed, a process has other troubles than this one.
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
