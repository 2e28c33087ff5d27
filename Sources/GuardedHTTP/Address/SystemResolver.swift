internal import FairSharing
internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's resolver, on threads of its own: a name server that does not answer holds one of them and no event loop.
///
/// Brands take turns, and have their shares of the threads: names of one brand that hang hold up no other's. Of the gateway's
/// own names each has such a share.
package final class SystemResolver: HostResolver {
    /// So many look-ups may wait and run, those that their callers gave up included; beyond, the brand with the most gives
    /// way to one with less, and who has no place finds nothing.
    private static let maxExpected = 1024

    private let threads: ResolverThreads
    private let lookUp: @Sendable (String) -> [InternetAddress]
    private let line: Mutex<FairLine<String, LookUp>>

    private struct LookUp: Sendable {
        var host: String
        var answer: Answer
    }

    /// Makes a resolver; nothing is looked up yet.
    ///
    /// - Parameters:
    ///   - threads: Where it blocks; shut down by their owner.
    ///   - atOnce: So many names are looked up at once, half of them of one brand; others wait.
    package convenience init(threads: ResolverThreads, atOnce: Int) {
        self.init(threads: threads, atOnce: atOnce, lookUp: SystemResolver.system)
    }

    /// Looks names up by something else than the system.
    ///
    /// - Parameters:
    ///   - threads: Where it blocks.
    ///   - atOnce: So many names are looked up at once.
    ///   - lookUp: Called on one of the threads; may block.
    init(threads: ResolverThreads, atOnce: Int, lookUp: @escaping @Sendable (String) -> [InternetAddress]) {
        self.threads = threads
        self.lookUp = lookUp
        line = Mutex(FairLine(runningAtOnce: atOnce, capacity: Self.maxExpected))
    }

    /// Looks a name up by `getaddrinfo`, which nothing can stop: a caller that is cancelled leaves it to its thread.
    ///
    /// - Parameters:
    ///   - host: The name.
    ///   - owner: The brand that chose it; empty for the gateway itself.
    /// - Returns: All its addresses, in the system's order; empty when the caller is cancelled.
    package func addresses(of host: String, for owner: String) async -> [InternetAddress] {
        let answer = Answer()
        // No brand's id has a colon.
        let owner = owner.isEmpty ? "name:\(host)" : owner
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.set(continuation)
                switch line.withLock({ $0.enter(LookUp(host: host, answer: answer), of: owner) }) {
                case .entered: break
                case .displaced(let other): other.answer.resume([])
                case .full: answer.resume([])
                }
                beginNext()
            }
        } onCancel: {
            answer.resume([])
        }
    }

    private func beginNext() {
        while let (owner, next) = line.withLock({ $0.next() }) {
            threads.run { [self] isActive in
                // What nobody waits for any more is not looked up.
                next.answer.resume(isActive && next.answer.isAwaited ? lookUp(next.host) : [])
                line.withLock { $0.ended(owner) }
                beginNext()
            }
        }
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
