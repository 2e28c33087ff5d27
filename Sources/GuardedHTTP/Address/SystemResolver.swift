internal import NIOPosix
internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's resolver, on threads of its own: a name server that does not answer holds one of them and no event loop.
package struct SystemResolver: HostResolver {
    /// So many names are looked up at once; others wait.
    private static let threads = 8
    /// So many look-ups may wait for a thread, those that their callers gave up included; more find nothing.
    private static let maxWaiting = 1024

    private let pool: NIOThreadPool
    private let lookUp: @Sendable (String) -> [InternetAddress]
    private let waiting = Waiting()

    /// Starts the threads, which stay until ``shutdown()``.
    package init() { self.init(lookUp: Self.system) }

    /// Looks names up by something else than the system.
    ///
    /// - Parameter lookUp: Called on one of the threads; may block.
    init(lookUp: @escaping @Sendable (String) -> [InternetAddress]) {
        self.lookUp = lookUp
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
    }

    /// Looks a name up by `getaddrinfo`, which nothing can stop: a caller that is cancelled leaves it to its thread.
    ///
    /// - Parameter host: The name.
    /// - Returns: All its addresses, in the system's order; empty when the caller is cancelled.
    package func addresses(of host: String) async -> [InternetAddress] {
        guard waiting.enter(atMost: Self.maxWaiting) else { return [] }
        let answer = Answer()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.set(continuation)
                pool.submit { [lookUp, waiting] state in
                    // What nobody waits for any more is not looked up.
                    if case .active = state, answer.isAwaited { answer.resume(lookUp(host)) } else { answer.resume([]) }
                    waiting.leave()
                }
            }
        } onCancel: {
            answer.resume([])
        }
    }

    /// Ends the threads, each when its look-up is over; nobody waits for one that hangs.
    package func shutdown() { pool.shutdownGracefully { _ in } }

    private final class Waiting: Sendable {
        private let count = Mutex(0)

        func enter(atMost limit: Int) -> Bool {
            count.withLock { count in
                guard count < limit else { return false }
                count += 1
                return true
            }
        }

        func leave() { count.withLock { $0 -= 1 } }
    }

    /// Who waits for one look-up: told once, by its end or by its caller's.
    private final class Answer: Sendable {
        private enum State {
            case new
            case awaited(CheckedContinuation<[InternetAddress], Never>)
            case over
        }

        private let state = Mutex(State.new)

        var isAwaited: Bool { state.withLock { if case .awaited = $0 { true } else { false } } }

        func set(_ continuation: CheckedContinuation<[InternetAddress], Never>) {
            let isOver = state.withLock { state in
                if case .over = state { return true }
                state = .awaited(continuation)
                return false
            }
            if isOver { continuation.resume(returning: []) }
        }

        func resume(_ addresses: [InternetAddress]) {
            let waiter: CheckedContinuation<[InternetAddress], Never>? = state.withLock { state in
                defer { state = .over }
                guard case .awaited(let continuation) = state else { return nil }
                return continuation
            }
            waiter?.resume(returning: addresses)
        }
    }

    private static func system(_ host: String) -> [InternetAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [InternetAddress] = []
        var next = first
        while let info = next?.pointee {
            if info.ai_family == AF_INET {
                info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    found.append(.v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr)))
                }
            } else if info.ai_family == AF_INET6 {
                info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    found.append(InternetAddress($0.pointee.sin6_addr))
                }
            }
            next = info.ai_next
        }
        return found
    }
}
