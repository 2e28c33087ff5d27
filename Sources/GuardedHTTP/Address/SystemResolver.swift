internal import FairSharing
internal import NIOPosix
internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's resolver, on threads of its own: a name server that does not answer holds one of them and no event loop.
///
/// Brands take turns, and have their shares of the threads: names of one brand that hang hold up no other's.
package final class SystemResolver: HostResolver {
    /// So many names are looked up at once, half of them of one brand; others wait.
    private static let threads = 16
    /// So many look-ups may wait and run, those that their callers gave up included; beyond, the brand with the most gives
    /// way to one with less, and who has no place finds nothing.
    private static let maxExpected = 1024

    private let pool = NIOThreadPool(numberOfThreads: SystemResolver.threads)
    private let phase = Mutex(Phase.new)
    private let lookUp: @Sendable (String) -> [InternetAddress]
    private let line = Mutex(
        FairLine<String, LookUp>(runningAtOnce: SystemResolver.threads, capacity: SystemResolver.maxExpected)
    )

    /// Most gateways look no name up for long, and threads cost memory.
    private enum Phase {
        case new
        case started
        case ended
    }

    private struct LookUp: Sendable {
        var host: String
        var answer: Answer
    }

    /// Starts no thread before the first look-up; they stay until ``shutdown()`` then.
    package convenience init() { self.init(lookUp: SystemResolver.system) }

    /// Looks names up by something else than the system.
    ///
    /// - Parameter lookUp: Called on one of the threads; may block.
    init(lookUp: @escaping @Sendable (String) -> [InternetAddress]) { self.lookUp = lookUp }

    /// Looks a name up by `getaddrinfo`, which nothing can stop: a caller that is cancelled leaves it to its thread.
    ///
    /// - Parameters:
    ///   - host: The name.
    ///   - owner: The brand that chose it; empty for the gateway itself.
    /// - Returns: All its addresses, in the system's order; empty when the caller is cancelled.
    package func addresses(of host: String, for owner: String) async -> [InternetAddress] {
        let answer = Answer()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.set(continuation)
                switch line.withLock({ $0.enter(LookUp(host: host, answer: answer), of: owner) }) {
                case .entered: break
                case .displaced(let other): other.answer.resume([])
                case .full: answer.resume([])
                }
                start()
                beginNext()
            }
        } onCancel: {
            answer.resume([])
        }
    }

    private func start() {
        phase.withLock { phase in
            guard case .new = phase else { return }
            phase = .started
            // Under the lock, because a pool must neither be used nor shut down while it starts; it takes a moment, once.
            pool.start()
        }
    }

    private func beginNext() {
        while let (owner, next) = line.withLock({ $0.next() }) {
            pool.submit { [self] state in
                // What nobody waits for any more is not looked up.
                let isWanted = if case .active = state { next.answer.isAwaited } else { false }
                next.answer.resume(isWanted ? lookUp(next.host) : [])
                line.withLock { $0.ended(owner) }
                beginNext()
            }
        }
    }

    /// Ends the threads, each when its look-up is over; nobody waits for one that hangs.
    package func shutdown() {
        phase.withLock { $0 = .ended }
        pool.shutdownGracefully { _ in }
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
