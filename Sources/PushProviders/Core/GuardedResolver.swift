import GatewayModel
import GuardedHTTP
import NIOCore
import NIOPosix

/// Finds the addresses of an endpoint that a tenant set, for one connection: those that passed the guard, or none.
///
/// The host is looked up once, and the connection goes to what was checked.
final class GuardedResolver: Resolver, Sendable {
    private let found: EventLoopFuture<[SocketAddress]>
    /// Ends with the look-up, which ends when it is cancelled.
    private let lookUp: Task<Void, Never>

    /// Begins the look-up.
    ///
    /// - Parameters:
    ///   - url: The endpoint.
    ///   - addresses: Checks its addresses.
    ///   - owner: The brand that chose it.
    ///   - eventLoop: The connection's.
    init(_ url: GuardedURL, _ addresses: AddressGuard, for owner: BrandID, on eventLoop: any EventLoop) {
        let promise = eventLoop.makePromise(of: [SocketAddress].self)
        found = promise.futureResult
        lookUp = Task {
            do {
                let passed = try await addresses.addresses(of: url, for: owner.rawValue)
                let port = Int(url.dialledPort)
                promise.succeed(try passed.map { try SocketAddress(ipAddress: $0.description, port: port) })
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
