import GuardedHTTP
import NIOCore
import NIOPosix

/// Resolves an endpoint for one connection and shuffles the addresses, so that connections spread over them.
///
/// The host is looked up once, and the connection dials only the addresses found.
final class EndpointResolver: Resolver, Sendable {
    private let found: EventLoopFuture<[SocketAddress]>
    /// The task of the lookup; it ends when it is cancelled.
    private let lookUp: Task<Void, Never>

    /// Starts the lookup; `lookUp` resolves the host's addresses and ends when its task is cancelled.
    init(
        port: Int,
        on eventLoop: any EventLoop,
        lookUp: @escaping @Sendable () async throws -> [InternetAddress]
    ) {
        let promise = eventLoop.makePromise(of: [SocketAddress].self)
        found = promise.futureResult
        self.lookUp = Task {
            do {
                // The system sorts them in the same way each time (RFC 6724).
                let addresses = try await lookUp().shuffled()
                promise.succeed(try addresses.map { try SocketAddress(ipAddress: $0.description, port: port) })
            } catch { promise.fail(error) }
        }
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        found.map { $0.filter { $0.protocol == .inet } }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        found.map { $0.filter { $0.protocol == .inet6 } }
    }

    func cancelQueries() { lookUp.cancel() }
}
