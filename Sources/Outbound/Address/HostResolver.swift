internal import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Finds all addresses of a host.
package protocol HostResolver: Sendable {
    /// Looks a name up, once.
    ///
    /// - Parameter host: The name.
    /// - Returns: All its addresses; empty when there are none or nobody answered.
    func addresses(of host: String) async -> [InternetAddress]
}

/// The system's resolver, on threads of its own: a name server that does not answer holds one of them and no event loop.
package struct SystemResolver: HostResolver {
    /// So many names are looked up at once; others wait.
    private static let threads = 8

    private let pool: NIOThreadPool

    /// Starts the threads, which stay for the life of the process.
    package init() {
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
    }

    /// Looks a name up by `getaddrinfo`.
    ///
    /// - Parameter host: The name.
    /// - Returns: All its addresses, in the system's order.
    package func addresses(of host: String) async -> [InternetAddress] {
        (try? await pool.runIfActive { Self.lookUp(host) }) ?? []
    }

    /// Ends the threads.
    package func shutdown() async { try? await pool.shutdownGracefully() }

    private static func lookUp(_ host: String) -> [InternetAddress] {
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
