import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A WebSocket echo server: the baseline of a window's latency.
enum EchoServer {
    /// Starts an echo server.
    ///
    /// - Parameter group: Its event loops.
    /// - Returns: Its listener.
    /// - Throws: An error when it cannot listen.
    static func start(group: any EventLoopGroup) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let upgrader = NIOWebSocketServerUpgrader(
                        shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
                        upgradePipelineHandler: { channel, _ in
                            channel.eventLoop.makeCompletedFuture {
                                try channel.pipeline.syncOperations.addHandler(Echo())
                            }
                        }
                    )
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            guard frame.opcode == .text else { return context.close(promise: nil) }
            let response = WebSocketFrame(fin: true, opcode: .text, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(response), promise: nil)
        }
    }
}
