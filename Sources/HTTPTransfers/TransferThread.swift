internal import CCurl
internal import COpenSSL
internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The thread that runs all transfers of the process; it starts with the first and lives as long as the process.
final class TransferThread: Sendable {
    /// A request of a caller to the thread.
    enum Command: Sendable {
        case start(Transfer)
        /// Bytes that libcurl holds back may be given again.
        case resume(Transfer)
        /// The caller has ended the transfer.
        case cancel(Transfer)
        /// The continuation is resumed when idle connections are closed and, if it cancels, calls have ended.
        case close(TransferClientCore, isCancelling: Bool, CheckedContinuation<Void, Never>?)
    }

    /// The thread; nil if the system has no descriptors or memory for it, which stays so.
    static let shared: TransferThread? = TransferThread()

    /// The commands that the thread has not taken yet: three for each call at most, and one for each client.
    private let commands = Mutex<[Command]>([])
    /// An `eventfd` that wakes the thread.
    private let bell: Int32

    private init?() {
        switchboard_keep_openssl_at_exit()
        // Once in a process, and safe with other users of libcurl.
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return nil }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard epoll >= 0, bell >= 0 else { return nil }
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(u64: 0))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, bell, &event) == 0 else { return nil }
        // The new thread inherits the mask: signals are for the other threads, and a broken pipe is an error there.
        var (all, previous) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let loop = Unmanaged.passRetained(TransferLoop(self, epoll: epoll))
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, runTransfers, loop.toOpaque())
        guard result == 0 else {
            loop.release()
            return nil
        }
        pthread_detach(thread)
    }

    func post(_ command: Command) {
        let isFirst = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { eventfd_write(bell, 1) }
    }

    /// Returns the commands in their order.
    func take() -> [Command] {
        var count: eventfd_t = 0
        eventfd_read(bell, &count)
        return commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}

private func runTransfers(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<TransferLoop>.fromOpaque(argument).takeRetainedValue().run()
}

/// The loop of the thread, which owns each client's connections; used by that thread only.
private final class TransferLoop {
    private let thread: TransferThread
    private let epoll: Int32
    private var pools: [UInt32: TransferPool] = [:]

    init(_ thread: TransferThread, epoll: Int32) {
        self.thread = thread
        self.epoll = epoll
    }

    func run() -> Never {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
            for event in events.prefix(max(Int(count), 0)) {
                let (id, socket) = TransferPool.source(event.data.u64)
                pools[id]?.act(on: socket, events: event.events)
            }
            for command in thread.take() { perform(command) }
            let now = MonotonicTime.now
            for (id, pool) in pools {
                pool.act(at: now)
                closeIfIdle(pool, id, at: now)
            }
        }
    }

    private func closeIfIdle(_ pool: TransferPool, _ id: UInt32, at now: Int64) {
        guard pool.isIdle(at: now) else { return }
        pool.close()
        pools[id] = nil
    }

    /// Milliseconds until libcurl or an idle pool is due; -1 for no limit.
    private var timeout: Int32 {
        guard let next = pools.values.compactMap(\.deadline).min() else { return -1 }
        return Int32(clamping: max(next - MonotonicTime.now, 0))
    }

    private func perform(_ command: TransferThread.Command) {
        switch command {
        case .start(let transfer):
            guard !transfer.isOver, let pool = pool(of: transfer.core) else {
                transfer.finish(.failure(TransferFailure(.unavailable)))
                return transfer.core.ended()
            }
            pool.start(transfer)
        case .resume(let transfer): pools[transfer.core.id]?.resume(transfer)
        case .cancel(let transfer): pools[transfer.core.id]?.cancel(transfer)
        case .close(let core, let isCancelling, let continuation):
            if let pool = pools[core.id] {
                pool.closeWhenIdle(isCancelling: isCancelling)
                closeIfIdle(pool, core.id, at: MonotonicTime.now)
            }
            continuation?.resume()
        }
    }

    private func pool(of core: TransferClientCore) -> TransferPool? {
        if let pool = pools[core.id] { return pool }
        let pool = TransferPool(core, epoll: epoll)
        pools[core.id] = pool
        return pool
    }
}

/// The time for timeouts.
enum MonotonicTime {
    /// The time in milliseconds from an arbitrary start.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
