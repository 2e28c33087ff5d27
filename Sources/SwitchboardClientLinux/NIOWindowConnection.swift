import NIOCore
import NIOWebSocket
import SwitchboardClient

/// An open WebSocket over a NIO channel; usable from any task.
final class NIOWindowConnection: WindowConnection {
    private let channel: any Channel
    private let handler: NIOLoopBound<WindowChannelHandler>

    /// Adds the handlers of a window to a channel that was upgraded; on its event loop.
    ///
    /// - Parameter channel: The channel.
    /// - Throws: An error of the pipeline.
    init(addingTo channel: any Channel) throws {
        let handler = WindowChannelHandler()
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        let limit = NIOWindowTransport.maxMessageBytes
        try channel.pipeline.syncOperations.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0,
                maxAccumulatedFrameCount: 1024,
                maxAccumulatedFrameSize: limit
            )
        )
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    deinit { channel.close(promise: nil) }

    func send(_ text: String) {
        let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
        channel.writeAndFlush(frame, promise: nil)
    }

    func receive() async throws -> WindowInput {
        let handler = handler
        return try await channel.eventLoop.flatSubmit { handler.value.next() }.get()
    }

    func ping() async throws {
        let handler = handler
        try await channel.eventLoop.flatSubmit { handler.value.ping() }.get()
    }

    func close() {
        let handler = handler
        channel.eventLoop.execute { handler.value.close() }
    }
}
