import NIOCore
import NIOEmbedded
import Testing

@testable import HTTP2Connections
@testable import TLS

/// An owner that records a connection's reports, and provides requests.
private final class Owner: ClientConnectionOwner {
    var requests: [HTTP2Request] = []
    var reported: [String] = []
    var responses: [HTTP2Response] = []
    var streams = 0
    var sessions = 0

    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request]) {
        requests += self.requests.prefix(capacity)
        self.requests.removeFirst(min(capacity, self.requests.count))
    }

    func receive(_ responses: [HTTP2Response]) { self.responses += responses }
    func openStreamsChanged(by difference: Int) { streams += difference }
    func connectionHeldBack(_ id: UInt64, _ reason: HTTP2HoldBack?) {
        reported.append(reason.map { "held back by \($0.rawValue)" } ?? "has room")
    }
    func connectionLimitCut(_ id: UInt64, _ isCut: Bool) {}
    func connectionAged(_ id: UInt64) {}
    func connectionReady(_ id: UInt64, facts: HTTP2ConnectionFacts) { reported.append("ready") }

    func connectionDraining(_ id: UInt64, reason: HTTP2DrainReason, worth: ConnectionWorth) {
        reported.append("draining \(worth)")
    }

    func connectionEnded(_ id: UInt64, failure: HTTP2ConnectionFailure?, worth: ConnectionWorth) {
        reported.append("ended \(failure?.label ?? "in order")")
    }

    func keep(_ resumptions: [TLSResumption]) { sessions += resumptions.count }
}

/// A socket that is full after 64 KB and empty after each flush, which it reports from inside the flush, as NIO's do.
private final class ReadySocket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let channel: EmbeddedChannel
    private var pending = 0

    init(_ channel: EmbeddedChannel) { self.channel = channel }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        pending += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
        setWritable(pending < 65_536, context)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        pending = 0
        setWritable(true, context)
    }

    private func setWritable(_ isWritable: Bool, _ context: ChannelHandlerContext) {
        guard channel.isWritable != isWritable else { return }
        channel.isWritable = isWritable
        context.pipeline.fireChannelWritabilityChanged()
    }
}

/// A client handler on an embedded channel, connected to a server in memory; only the test advances the time.
private struct Bench {
    let owner = Owner()
    let channel = EmbeddedChannel()
    let handler: ClientConnectionHandler
    let framing: ServerFraming
    let transport: SecureTransport
    let connection: HTTP2ServerConnection

    init(server: HTTP2ServerConfiguration = HTTP2ServerConfiguration(), maximumStreams: Int = 10) throws {
        let authority = try TestAuthority()
        let configuration = HTTP2ConnectionConfiguration()
        framing = try ServerFraming(configuration: server)
        let context = try TLSServerContext(identity: try authority.issue())
        transport = SecureTransport(tls: try TLSSession(server: context), framing: framing)
        connection = HTTP2ServerConnection(id: 1, eventLoop: channel.embeddedEventLoop)
        let seconds: (UInt64) -> UInt64 = { $0 * 1_000_000_000 }
        let now = channel.embeddedEventLoop.now.uptimeNanoseconds
        handler = ClientConnectionHandler(
            id: 1,
            owner: owner,
            tls: try TLSSession(
                client: try TLSClientContext(trustRootsPEM: authority.certificatePEM),
                serverName: "localhost",
                resuming: nil
            ),
            framing: try ClientFraming(authority: "localhost", configuration: configuration),
            limits: ClientConnectionMachine.Limits(
                setupDeadline: now + seconds(10),
                pingInterval: seconds(30),
                pingTimeout: seconds(10),
                idleTimeout: seconds(600),
                ageLimit: seconds(10_000),
                replacementTimeout: seconds(300),
                closeTimeout: seconds(1),
                maximumStreams: maximumStreams,
                oneStreamUntilAccepted: false,
                lastStreamID: .max
            ),
            now: now
        )
        try channel.pipeline.syncOperations.addHandlers([ReadySocket(channel), handler])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    /// Moves bytes both ways until there are none.
    ///
    /// - Returns: Whether the client sent close_notify.
    @discardableResult
    func exchange() throws -> Bool {
        var isClosed = false
        var isBusy = true
        while isBusy {
            isBusy = false
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
                if try transport.receive(buffer).peerClosed { isClosed = true }
                isBusy = true
            }
            _ = try transport.encrypt(limit: .max)
            if let buffer = transport.takeOutput(allocator: ByteBufferAllocator()) {
                try channel.writeInbound(buffer)
                isBusy = true
            }
        }
        return isClosed
    }

    func respondToAll() {
        for record in framing.complete {
            framing.takeRequest(record: record, on: connection).map {
                framing.respond(stream: $0.stream.id, HTTP2ServerResponse(status: 200))
            }
        }
        framing.complete = []
    }
}

@Suite("Client connection handler")
struct ClientConnectionHandlerTests {
    @Test("our close is GOAWAY and close_notify, and the socket closes when the peer has closed too")
    func goodbye() throws {
        let bench = try Bench()
        try bench.exchange()
        bench.handler.shutdown(deadline: .max)
        #expect(try bench.exchange())
        #expect(bench.channel.isActive)
        bench.transport.close()
        try bench.exchange()
        #expect(!bench.channel.isActive)
        #expect(bench.owner.reported == ["ready", "draining refused", "ended in order"])
    }

    @Test("a peer that does not close its side is disconnected after the close timeout")
    func goodbyeUnanswered() throws {
        let bench = try Bench()
        try bench.exchange()
        bench.handler.shutdown(deadline: .max)
        try bench.exchange()
        bench.channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(bench.channel.isActive)
        bench.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!bench.channel.isActive)
        #expect(bench.owner.reported.last == "ended in order")
    }

    @Test("our close_notify follows the peer's")
    func peerCloses() throws {
        let bench = try Bench()
        try bench.exchange()
        bench.transport.close()
        #expect(try bench.exchange())
        #expect(!bench.channel.isActive)
        #expect(bench.owner.reported == ["ready", "ended in order"])
    }

    @Test("one timer serves many deadlines and only moves forward")
    func deadlines() throws {
        let bench = try Bench()
        try bench.exchange()
        for (id, seconds) in [(1, 9), (2, 3), (3, 6)] as [(UInt64, Int64)] {
            bench.owner.requests.append(HTTP2Request(id: id, path: "/", timeout: .seconds(seconds)))
        }
        bench.handler.wake()
        try bench.exchange()
        #expect(bench.owner.streams == 3)
        for (second, expected) in [(2, []), (3, [2]), (5, [2]), (6, [2, 3]), (9, [2, 3, 1])] as [(Int64, [UInt64])] {
            bench.channel.embeddedEventLoop.advanceTime(to: .uptimeNanoseconds(0) + .seconds(second))
            #expect(bench.owner.responses.map(\.id) == expected)
        }
        #expect(bench.owner.responses.allSatisfy { $0.failure == .unknown(.deadline) })
        #expect(bench.owner.streams == 0)
        #expect(bench.channel.isActive)
    }

    @Test("the peer responds to a PING on an idle connection")
    func ping() throws {
        let bench = try Bench()
        try bench.exchange()
        for _ in 0..<5 {
            bench.channel.embeddedEventLoop.advanceTime(by: .seconds(31))
            try bench.exchange()
        }
        #expect(bench.channel.isActive)
        bench.channel.embeddedEventLoop.advanceTime(by: .seconds(31))
        bench.channel.embeddedEventLoop.advanceTime(by: .seconds(11))
        #expect(!bench.channel.isActive)
        #expect(bench.owner.reported.last == "ended ping_timeout")
    }

    @Test("responses of one read burst arrive as one batch, before the end of the connection")
    func order() throws {
        let bench = try Bench()
        try bench.exchange()
        bench.owner.requests = (1...4).map { HTTP2Request(id: $0, path: "/", body: [1]) }
        bench.handler.wake()
        try bench.exchange()
        bench.respondToAll()
        bench.framing.submitGoAway(lastStreamID: 7, errorCode: 0, debugData: [])
        _ = try bench.transport.encrypt(limit: .max)
        bench.transport.close()
        try bench.exchange()
        #expect(bench.owner.responses.map(\.status) == [200, 200, 200, 200])
        #expect(bench.owner.reported.last == "ended in order")
    }

    @Test("a full socket stops pulling until it drains")
    func writability() throws {
        let bench = try Bench()
        try bench.exchange()
        bench.channel.isWritable = false
        bench.owner.requests = [HTTP2Request(id: 1, path: "/")]
        bench.handler.wake()
        #expect(bench.owner.requests.count == 1)
        bench.channel.isWritable = true
        bench.channel.pipeline.fireChannelWritabilityChanged()
        #expect(bench.owner.requests.isEmpty)
        try bench.exchange()
        #expect(bench.framing.complete.count == 1)
    }

    @Test("sessions for resumption are reported when they arrive, not when the connection ends")
    func sessions() throws {
        let bench = try Bench()
        try bench.exchange()
        #expect(bench.owner.sessions == 2)
        #expect(bench.channel.isActive)
        bench.transport.close()
        try bench.exchange()
        #expect(bench.owner.sessions == 2)
    }

    @Test("requests within stream and window limits are sent at once, however often the socket fills and drains")
    func burst() throws {
        var server = HTTP2ServerConfiguration()
        server.connectionWindowSize = 1 << 24
        let bench = try Bench(server: server, maximumStreams: 500)
        try bench.exchange()
        bench.owner.requests = (1...200).map {
            HTTP2Request(id: $0, path: "/", body: Array(repeating: 1, count: 4000))
        }
        bench.handler.wake()
        let left = bench.owner.requests.count
        #expect(left == 0)
        var bytes = 0
        while let buffer = try bench.channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytes }
        #expect(bytes > 200 * 4000)
    }
}
