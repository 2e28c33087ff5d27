import NIOCore
import NIOPosix
import Synchronization

/// An HTTP proxy on a free port of the loopback address, which responds to CONNECT, or misbehaves on request.
///
/// Whatever host CONNECT names, it connects to this host. Thread-safe.
package final class ProxyServer: Sendable {
    /// The behaviour for connections whose request arrives from now on.
    package enum Behaviour: Sendable {
        /// Opens tunnels.
        case open
        /// Sends these bytes in place of a response, and leaves the connection open.
        case send(String)
        /// Closes the connection without a response.
        case close
        /// Sends nothing.
        case silent
    }

    fileprivate struct State {
        var behaviour = Behaviour.open
        /// The value that `Proxy-Authorization` must have; nil requires none.
        var authorization: String?
        var heads: [String] = []
    }

    fileprivate let state = Mutex(State())
    fileprivate let upstream: Int?
    private let channel = Mutex<(any Channel)?>(nil)

    private init(upstream: Int?) { self.upstream = upstream }

    /// Listens on a free port.
    ///
    /// - Parameter upstream: The port of this host to which tunnels lead; nil takes the port that CONNECT names.
    /// - Returns: The proxy, which opens tunnels for everybody.
    /// - Throws: An error when it cannot listen.
    package static func start(to upstream: Int? = nil) async throws -> ProxyServer {
        let proxy = ProxyServer(upstream: upstream)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [proxy] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FrontHandler(proxy))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        proxy.channel.withLock { $0 = channel }
        return proxy
    }

    /// The port.
    package var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }

    /// The heads of all requests, oldest first.
    package var heads: [String] { state.withLock { $0.heads } }

    /// The targets of all requests, oldest first.
    package var targets: [String] {
        heads.map { head in
            let words = head.split(separator: " ")
            return words.count > 1 ? String(words[1]) : ""
        }
    }

    /// Changes the behaviour.
    ///
    /// - Parameter behaviour: The new behaviour.
    package func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    /// Requires credentials from now on, else it responds with 407.
    ///
    /// - Parameter authorization: The value of `Proxy-Authorization`; nil requires none.
    package func require(_ authorization: String?) { state.withLock { $0.authorization = authorization } }

    /// Stops listening.
    package func stop() async { try? await channel.withLock { $0 }?.close().get() }
}

/// The handler of a client's connection.
private final class FrontHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: ProxyServer
    private var head = ""
    private var isHeadComplete = false
    private var context: ChannelHandlerContext?
    /// The connection of an open tunnel.
    private var back: (any Channel)?

    init(_ proxy: ProxyServer) { self.proxy = proxy }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let back { return back.writeAndFlush(bytes, promise: nil) }
        // A client sends nothing more until the tunnel is open.
        guard !isHeadComplete else { return }
        head += String(decoding: bytes.readableBytesView, as: UTF8.self)
        guard head.hasSuffix("\r\n\r\n") else { return }
        isHeadComplete = true
        respond(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        back?.close(promise: nil)
        context.fireChannelInactive()
    }

    private func respond(_ context: ChannelHandlerContext) {
        let head = head
        let (behaviour, authorization) = proxy.state.withLock { state in
            state.heads.append(head)
            return (state.behaviour, state.authorization)
        }
        if let authorization, !head.lowercased().contains("proxy-authorization: \(authorization.lowercased())\r\n") {
            return send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        }
        switch behaviour {
        case .open: connect(context)
        case .send(let text): send(text)
        case .close: context.close(promise: nil)
        case .silent: break
        }
    }

    private func connect(_ context: ChannelHandlerContext) {
        let target = head.split(separator: " ").dropFirst().first ?? ""
        let port = proxy.upstream ?? target.split(separator: ":").last.flatMap { Int($0) } ?? 0
        let front = context.channel
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(BackHandler(front: front))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .hop(to: context.eventLoop)
            .whenComplete { result in this.value.connected(result) }
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        switch result {
        case .success(let channel):
            back = channel
            if context == nil { channel.close(promise: nil) }
            send("HTTP/1.1 200 Connection established\r\n\r\n")
        case .failure:
            send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private func send(_ text: String) {
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}

/// The handler of a tunnel's connection to the target.
private final class BackHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let front: any Channel

    init(front: any Channel) { self.front = front }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        front.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        front.close(promise: nil)
        context.fireChannelInactive()
    }
}
