import NIOCore
import NIOPosix

/// A resolver that returns this host's address when the test allows it.
struct HeldResolver: Resolver, Sendable {
    let eventLoop: any EventLoop
    let hold: EventLoopFuture<Void>?

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        let address = Result { [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
        guard let hold else { return eventLoop.makeCompletedFuture(address) }
        return hold.hop(to: eventLoop).flatMapThrowing { try address.get() }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture([])
    }

    func cancelQueries() {}
}
