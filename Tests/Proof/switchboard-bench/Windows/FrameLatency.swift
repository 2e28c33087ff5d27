import NIOCore
import NIOHTTP1
import NIOPosix
import ProcessHarness

/// Measures the time from an event's 202 to its frame in a window, and the time of an echo, in turns on one event loop.
///
/// Confined to the loop. One at a time, so that each is measured alone and all by the same clock.
final class FrameLatency {
    /// The measured times in milliseconds.
    struct Result: Sendable {
        /// From the head of the 202 response to the frame; 0 when the frame arrived first.
        var afterResponse: [Double] = []
        /// From posting to the frame.
        var afterPost: [Double] = []
        /// From sending a message to receiving its echo.
        var echo: [Double] = []
    }

    private let loop: any EventLoop
    private let windows: [WindowConnection]
    private let echo: WindowConnection
    private let count: Int
    private let pause: TimeAmount
    private let authorization: String
    private let promise: EventLoopPromise<Result>
    private var http: ChannelHandlerContext?
    private var result = Result()
    private var number = 0
    private var sentAt = NIODeadline.now()
    private var respondedAt: NIODeadline?
    private var heardAt: NIODeadline?
    /// The last sequence that each window received.
    private(set) var sequences: [Int]

    init(
        windows: [WindowConnection],
        echo: WindowConnection,
        count: Int,
        pause: TimeAmount,
        authorization: String,
        loop: any EventLoop,
        promise: EventLoopPromise<Result>
    ) {
        self.windows = windows
        self.echo = echo
        self.count = count
        self.pause = pause
        self.authorization = authorization
        self.loop = loop
        self.promise = promise
        sequences = Array(repeating: 0, count: windows.count)
    }

    /// Starts, over a separate connection to the gateway.
    func start(port: Int) {
        for (index, window) in windows.enumerated() {
            // Otherwise live messages would wait for it.
            window.say(#"{"type":"resume","conversations":[]}"#)
            window.onText = { [unowned self] text in
                guard text.starts(with: #"{"type":"message""#) else { return }
                sequences[index] = text.number(of: "sequence") ?? 0
                heardAt = .now()
                both()
            }
        }
        echo.onText = { [unowned self] _ in
            result.echo.append(Self.milliseconds(since: sentAt))
            again { $0.post() }
        }
        let responses = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(ResponseReceiver(responses.value))
                }
            }
            .connect(host: "127.0.0.1", port: port).assumeIsolated().whenFailure { [promise] in promise.fail($0) }
    }

    private func post() {
        guard number < count else {
            promise.succeed(result)
            return
        }
        guard let http else { return promise.fail(HarnessError("the gateway closed the connection")) }
        let body = EventBodies.event(run: "frame", number: number, consumers: windows.count)
        number += 1
        (respondedAt, heardAt) = (nil, nil)
        var head = HTTPRequestHead(
            version: .http1_1,
            method: .POST,
            uri: "/v1/brands/\(Installation.brand)/events"
        )
        head.headers = [
            "host": "127.0.0.1", "authorization": authorization, "content-type": "application/json",
            "content-length": String(body.utf8.count),
        ]
        sentAt = .now()
        http.write(NIOAny(HTTPClientRequestPart.head(head)), promise: nil)
        http.write(NIOAny(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        http.writeAndFlush(NIOAny(HTTPClientRequestPart.end(nil)), promise: nil)
    }

    private func both() {
        guard let respondedAt, let heardAt else { return }
        result.afterResponse.append(max(Double((heardAt - respondedAt).nanoseconds) / 1e6, 0))
        result.afterPost.append(Double((heardAt - sentAt).nanoseconds) / 1e6)
        again { latency in
            latency.sentAt = .now()
            latency.echo.say(String(repeating: "x", count: 400))
        }
    }

    private func again(_ step: @escaping (FrameLatency) -> Void) {
        loop.assumeIsolated().scheduleTask(in: pause) { [self] in step(self) }
    }

    private static func milliseconds(since start: NIODeadline) -> Double {
        Double((NIODeadline.now() - start).nanoseconds) / 1e6
    }

    /// Receives the responses to events.
    private final class ResponseReceiver: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let owner: FrameLatency

        init(_ owner: FrameLatency) { self.owner = owner }

        func channelActive(context: ChannelHandlerContext) {
            owner.http = context
            owner.post()
        }

        func channelInactive(context: ChannelHandlerContext) { owner.http = nil }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                guard head.status == .accepted else {
                    return owner.promise.fail(HarnessError("the gateway responded \(head.status)"))
                }
                owner.respondedAt = .now()
            case .body: break
            case .end: owner.both()
            }
        }
    }
}
