package import NIOCore
package import NIOPosix

/// An HTTP proxy through which the connections of a pool are opened (CONNECT, RFC 9110 section 9.3.6).
///
/// Any thread.
package struct HTTP2Proxy: Sendable {
    /// A host that exists nowhere (RFC 6761 section 6.4), to ask a proxy for a response.
    private static let noTarget = HTTP2Target(host: "switchboard.invalid")

    /// The host to dial: a name or an IP address.
    package var host: String
    /// The port to dial.
    package var port: Int
    /// The value of `Proxy-Authorization`, a secret; nil sends none.
    package var authorization: String?
    /// Makes the resolver of the pool's target for one connection: the proxy receives one of its addresses; with nil it
    /// receives the name, and resolves it itself.
    package var makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?

    /// Creates a description of a proxy.
    package init(
        host: String,
        port: Int,
        authorization: String? = nil,
        makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)? = nil
    ) {
        self.host = host
        self.port = port
        self.authorization = authorization
        self.makeResolver = makeResolver
    }

    /// The proxy as `host:port`, IPv6 in brackets.
    package var name: String { Self.authority(host, port) }

    /// Checks that the proxy responds to CONNECT and accepts the credentials; it may reject the target of the check,
    /// which does not exist.
    ///
    /// - Parameters:
    ///   - eventLoop: One loop of a `MultiThreadedEventLoopGroup`.
    ///   - resolver: The resolver of the proxy's name; nil uses the system's.
    ///   - timeout: The timeout of dial and response together.
    /// - Returns: The failure; nil when the proxy can be used.
    package func check(
        on eventLoop: any EventLoop,
        resolver: (any Resolver & Sendable)?,
        timeout: TimeAmount
    ) async -> HTTP2ProxyFailure? {
        let connected = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .resolver(resolver)
            .channelOption(.autoRead, value: false)
            .connect(host: host, port: port)
            .hop(to: eventLoop)
        do {
            let channel = try await open(over: connected, to: Self.noTarget, deadline: .now() + timeout).get()
            channel.close(promise: nil)
            return nil
        } catch HTTP2ConnectionFailure.proxy(let failure) {
            if case .refused = failure.cause { return nil }
            return failure
        } catch {
            return HTTP2ProxyFailure(proxy: name, cause: .unreachable("\(error)"))
        }
    }

    /// Opens a tunnel to a target.
    ///
    /// - Parameters:
    ///   - connected: A connection to the proxy, which does not read by itself, on its event loop.
    ///   - target: The target.
    ///   - deadline: The time when the tunnel must be open.
    /// - Returns: The connection, which belongs to the target from then on. Fails with ``HTTP2ConnectionFailure``, or
    ///   with the error of the target's resolver; then the connection is closed.
    func open(
        over connected: EventLoopFuture<any Channel>,
        to target: HTTP2Target,
        deadline: NIODeadline
    ) -> EventLoopFuture<any Channel> {
        connected
            .flatMapErrorThrowing { error in
                if let error = error as? ChannelError, case .connectTimeout = error { throw failure(.timedOut) }
                throw failure(.unreachable("\(error)"))
            }
            .flatMap { channel in
                authority(of: target, on: channel.eventLoop, deadline)
                    .flatMap { connect(channel, $0, deadline) }
                    .flatMapErrorThrowing { error in
                        channel.close(promise: nil)
                        throw error
                    }
            }
    }

    private func failure(_ cause: HTTP2ProxyFailure.Cause) -> HTTP2ConnectionFailure {
        .proxy(HTTP2ProxyFailure(proxy: name, cause: cause))
    }

    /// Returns the target of CONNECT: the target's name, or one of the addresses that its resolver allows.
    private func authority(
        of target: HTTP2Target,
        on eventLoop: any EventLoop,
        _ deadline: NIODeadline
    ) -> EventLoopFuture<String> {
        guard let makeResolver else {
            return eventLoop.makeSucceededFuture(Self.authority(target.host, target.port))
        }
        let resolver = makeResolver(eventLoop)
        let end = eventLoop.scheduleTask(deadline: deadline) { resolver.cancelQueries() }
        let found = resolver.initiateAQuery(host: target.host, port: target.port)
            .and(resolver.initiateAAAAQuery(host: target.host, port: target.port))
        found.whenComplete { _ in end.cancel() }
        return found.flatMapThrowing { found in
            guard let address = (found.0.first ?? found.1.first)?.ipAddress else {
                throw HTTP2ConnectionFailure.unreachable("the name has no address")
            }
            return Self.authority(address, target.port)
        }
    }

    private func connect(
        _ channel: any Channel,
        _ authority: String,
        _ deadline: NIODeadline
    ) -> EventLoopFuture<any Channel> {
        let opened = channel.eventLoop.makePromise(of: Void.self)
        var request = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let authorization { request += "Proxy-Authorization: \(authorization)\r\n" }
        request += "\r\n"
        let handler = ProxyTunnelHandler(proxy: name, request: request, deadline: deadline, opened: opened)
        do { try channel.pipeline.syncOperations.addHandler(handler) } catch { opened.fail(failure(.closed)) }
        return opened.futureResult.map { channel }
    }

    private static func authority(_ host: String, _ port: Int) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
