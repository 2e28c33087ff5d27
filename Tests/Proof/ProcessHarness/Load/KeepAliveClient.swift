package import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP/1.1 connection that sends one request at a time; cheap, so that the load uses less CPU than the server.
///
/// Confined to its event loop; ``run(count:body:)`` may be called from any task.
package final class KeepAliveClient: Sendable {
    private let channel: any Channel

    private init(channel: any Channel) { self.channel = channel }

    /// Connects; the connection is ready then.
    package static func connect(host: String, port: Int, group: any EventLoopGroup) async throws -> KeepAliveClient {
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(SequentialRequests())
                }
            }
            .connect(host: host, port: port).get()
        return KeepAliveClient(channel: channel)
    }

    /// Sends requests one after the other; returns the seconds that each took, and the number of those that were refused.
    package func run(_ work: RequestSequence) async throws -> RequestResults {
        let promise = channel.eventLoop.makePromise(of: RequestResults.self)
        channel.eventLoop.execute {
            do {
                let handler = try self.channel.pipeline.syncOperations.handler(type: SequentialRequests.self)
                handler.start(work, promise: promise)
            } catch {
                promise.fail(error)
            }
        }
        return try await promise.futureResult.get()
    }

    /// Closes the connection.
    package func close() async { try? await channel.close() }
}

/// Writes the next request after the response to the last one.
private final class SequentialRequests: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPClientRequestPart

    private var context: ChannelHandlerContext?
    private var work: RequestSequence?
    private var promise: EventLoopPromise<RequestResults>?
    private var results = RequestResults()
    private var number = 0
    private var sentAt = NIODeadline.now()

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func start(_ work: RequestSequence, promise: EventLoopPromise<RequestResults>) {
        self.work = work
        self.promise = promise
        results = RequestResults()
        number = 0
        sendNext()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if head.status != work?.status { results.refused += 1 }
        case .body: break
        case .end:
            results.latencies.append(Double((NIODeadline.now() - sentAt).nanoseconds) / 1e9)
            sendNext()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(HarnessError("the gateway closed the connection")))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(error))
        context.close(promise: nil)
    }

    private func sendNext() {
        guard let work else { return }
        guard let body = work.body(number) else { return finish(.success(results)) }
        let due = work.due?(number) ?? .now()
        let current = number
        number += 1
        sentAt = due
        guard let context, due > .now() else { return send(current, body, work) }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(deadline: due) { handler.value.send(current, body, work) }
    }

    private func send(_ number: Int, _ body: [UInt8], _ work: RequestSequence) {
        guard let context else { return }
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: work.path)
        head.headers = [
            "host": "127.0.0.1", "authorization": work.authorization, "content-type": work.contentType,
            "content-length": String(body.count),
        ]
        work.edit?(number, &head)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func finish(_ result: Result<RequestResults, any Error>) {
        promise?.completeWith(result)
        promise = nil
        work = nil
    }
}
