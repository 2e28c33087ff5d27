import Foundation
import Glibc
import ServiceLifecycle

/// Notifications to the service manager, as systemd defines them: sd_notify(3), sd_watchdog_enabled(3).
///
/// Any task may use it.
struct ServiceNotifier: Service {
    /// The path of the datagram socket, or `@` and the name of an abstract socket.
    let socketName: String
    /// The time between two notifications of the watchdog: half of its timeout; nil without a watchdog.
    let watchdogInterval: Duration?

    /// The shortest timeout of a watchdog, in microseconds: a shorter one would keep a core busy, and expire all the
    /// same.
    private static let minWatchdogMicroseconds: Int64 = 10_000

    /// Reads the variables that a service manager sets; nil when none expects notifications.
    ///
    /// - Parameter environment: The environment variables.
    init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
        socketName = name
        // The variables of the watchdog may have been set for a parent process.
        let isForOther = environment["WATCHDOG_PID"].map { $0 != "\(getpid())" } ?? false
        let timeout = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = timeout >= Self.minWatchdogMicroseconds && !isForOther ? .microseconds(timeout / 2) : nil
    }

    /// Notifies the service manager once the service group begins to shut down.
    func run() async throws {
        try await gracefulShutdown()
        await notify("STOPPING=1")
    }

    /// Notifies the watchdog until the task is cancelled; while a check does not return, it does not.
    ///
    /// - Parameter check: Returns if the process is healthy.
    func feedWatchdog(check: @Sendable () async -> Void) async {
        guard let watchdogInterval else { return }
        while !Task.isCancelled {
            await check()
            send("WATCHDOG=1")
            try? await Task.sleep(for: watchdogInterval)
        }
    }

    /// Sends one notification, and repeats it for a second while the receiver's queue is full.
    ///
    /// - Parameter state: Assignments such as `READY=1`, one a line.
    func notify(_ state: String) async {
        for _ in 0..<100 {
            if send(state) { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Sends one notification, or drops it.
    ///
    /// - Parameter state: Assignments such as `READY=1`, one a line.
    /// - Returns: False when the receiver's queue is full; true also when there is no receiver.
    @discardableResult
    func send(_ state: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(socketName.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return true }
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name)
            // The name of an abstract socket begins with NUL and has no end: its length is part of it.
            if name.first == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        let count = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // A service manager that does not read must not stop a thread of the concurrency pool.
                sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, length)
            }
        }
        return count >= 0 || errno != EAGAIN
    }
}
