import GuardedHTTP
import NIOCore
import NIOPosix

/// Finds the addresses of an endpoint for one connection, in an order of its own, so that connections spread over them.
///
/// The host is looked up once, and the connection goes to what was found, or to nowhere.
final class EndpointResolver: Resolver, Sendable {
    private let found: EventLoopFuture<[SocketAddress]>
    /// Ends with the look-up, which ends when it is cancelled.
    private let lookUp: Task<Void, Never>

    /// Begins the look-up.
    ///
    /// - Parameters:
    ///   - port: The endpoint's.
    ///   - eventLoop: The connection's.
    ///   - lookUp: Finds the host's addresses; ends when its task is cancelled.
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
