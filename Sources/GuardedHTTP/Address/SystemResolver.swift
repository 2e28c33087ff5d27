internal import FairSharing
internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's resolver on its own threads: a name server that does not respond blocks one of them and no event loop.
///
/// Threads are shared fairly among brands: names of one brand that hang do not delay another's. Each of the gateway's
/// own names has such a share too.
package final class SystemResolver: HostResolver {
    /// The maximum of waiting and running lookups, including those whose callers were cancelled.
    ///
    /// Beyond it, a lookup of the brand with the most is displaced by one of a brand with fewer; a lookup without a
    /// slot returns no addresses.
    private static let maxExpected = 1024

    private let threads: ResolverThreads
    private let lookUp: @Sendable (String) -> [InternetAddress]
    private let line: Mutex<FairWorkQueue<String, LookUp>>

    private struct LookUp: Sendable {
        var host: String
        var pending: LookUpContinuation
    }

    /// Creates a resolver with at most `atOnce` concurrent lookups, half of them for one brand; others wait.
    ///
    /// It does no lookup yet. The threads are shut down by their owner.
    package convenience init(threads: ResolverThreads, atOnce: Int) {
        self.init(threads: threads, atOnce: atOnce, lookUp: SystemResolver.system)
    }

    /// Creates a resolver with another lookup function than the system's, which is called on one of the threads and may
    /// block.
    init(threads: ResolverThreads, atOnce: Int, lookUp: @escaping @Sendable (String) -> [InternetAddress]) {
        self.threads = threads
        self.lookUp = lookUp
        line = Mutex(FairWorkQueue(runningAtOnce: atOnce, capacity: Self.maxExpected))
    }

    /// Looks a name up with `getaddrinfo`, which cannot be cancelled: the thread completes it after the caller's
    /// cancellation.
    ///
    /// - Returns: All its addresses, in the system's order; empty when the caller is cancelled.
    package func addresses(of host: String, for owner: String) async -> [InternetAddress] {
        let pending = LookUpContinuation()
        // A brand's id has no colon.
        let owner = owner.isEmpty ? "name:\(host)" : owner
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending.set(continuation)
                switch line.withLock({ $0.enter(LookUp(host: host, pending: pending), of: owner) }) {
                case .entered: break
                case .displaced(let other): other.pending.resume([])
                case .full: pending.resume([])
                }
                beginNext()
            }
        } onCancel: {
            pending.resume([])
        }
    }

    private func beginNext() {
        while let (owner, next) = line.withLock({ $0.next() }) {
            threads.run { [self] isActive in
                // A lookup that no caller waits for any more is skipped.
                next.pending.resume(isActive && next.pending.isAwaited ? lookUp(next.host) : [])
                line.withLock { $0.ended(owner) }
                beginNext()
            }
        }
    }

    /// The continuation of one lookup: resumed once, by its end or by the caller's cancellation.
    private final class LookUpContinuation: Sendable {
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
