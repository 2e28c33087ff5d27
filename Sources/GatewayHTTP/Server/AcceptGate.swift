internal import NIOCore

/// Accepts further connections only when the previously accepted ones have been handled.
///
/// A connection is set up, or rejected and closed, on its own event loop, while the listener accepts the next ones on
/// another. Without this handler many callers at once can use up all descriptors of the process for a moment, including
/// the reserved ones (``ServerLimits/lastDescriptors``), when the event loops of the connections are busy. It is used
/// only on the listener's event loop.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// The number of connections that were accepted and not yet handled: at most as many as are accepted at a time,
    /// which is 4 (`ChannelOptions.maxMessagesPerRead`).
    private var open = 0
    private var isReadWanted = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let accepted = unwrapInboundIn(data)
        open += 1
        context.fireChannelRead(data)
        // An event loop runs tasks in order: this one runs after the connection has been set up.
        let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        accepted.eventLoop.submit {}.hop(to: context.eventLoop).whenComplete { _ in
            let (gate, context) = gate.value
            gate.settled(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if open == 0 { context.read() } else { isReadWanted = true }
    }

    private func settled(_ context: ChannelHandlerContext) {
        open -= 1
        guard open == 0, isReadWanted else { return }
        isReadWanted = false
        context.read()
    }
}
