import Foundation

/// How many files and sockets this process may have open.
enum DescriptorLimit {
    /// Kept free of callers' connections: for the database, providers, logs.
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

    /// How many connections of callers fit.
    ///
    /// - Parameters:
    ///   - wanted: What the settings say.
    ///   - limit: How many descriptors there may be.
    /// - Returns: What is wanted, or what the limit leaves beside the reserve; of a very small limit it is a half.
    static func connections(wanted: Int, limit: Int) -> Int {
        min(wanted, max(1, max(limit - reserve, limit / 2)))
    }

    /// Whether a few more descriptors can be opened now.
    ///
    /// Asks the system instead of counting: opens as many as must be left, and closes them again.
    ///
    /// - Parameter count: How many must be left.
    /// - Returns: False when the process or the machine has no more.
    static func hasRoom(for count: Int = 16) -> Bool {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            // Only a full table counts: with its standard error closed, a process has other troubles than this one.
            guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
            opened.append(descriptor)
        }
        return true
    }
}
