internal import DequeModule
internal import NIOCore

/// Simulates a distant peer: delays received bytes by a round trip.
///
/// The whole round trip is added to received bytes. A client cannot see the difference: it learns only from our
/// responses and window updates when something arrived. The TCP handshake is not delayed.
final class DistanceHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let roundTrip: TimeAmount
    /// Bounded by the windows that were granted to the client.
    private var onTheWay: Deque<(due: NIODeadline, bytes: NIOAny)> = []
    private var isTimerSet = false

    init(roundTrip: TimeAmount) {
        self.roundTrip = roundTrip
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onTheWay.append((context.eventLoop.now + roundTrip, data))
        setTimer(context)
    }

    /// Does nothing: the delayed read completes later.
    func channelReadComplete(context: ChannelHandlerContext) {}

    func channelInactive(context: ChannelHandlerContext) {
        forward(context, upTo: .distantFuture)
        context.fireChannelInactive()
    }

    private func setTimer(_ context: ChannelHandlerContext) {
        guard !isTimerSet, let first = onTheWay.first else { return }
        isTimerSet = true
        context.eventLoop.assumeIsolated().scheduleTask(deadline: first.due) {
            self.isTimerSet = false
            guard !self.onTheWay.isEmpty else { return }
            self.forward(context, upTo: context.eventLoop.now)
            self.setTimer(context)
        }
    }

    private func forward(_ context: ChannelHandlerContext, upTo now: NIODeadline) {
        guard let first = onTheWay.first, first.due <= now else { return }
        while let next = onTheWay.first, next.due <= now {
            onTheWay.removeFirst()
            context.fireChannelRead(next.bytes)
        }
        context.fireChannelReadComplete()
    }
}
