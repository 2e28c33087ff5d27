internal import CNghttp2
internal import Glibc
internal import NIOCore
internal import TLS

/// One connection of a server: frames in, batches of requests to the application, its commands out.
///
/// Confined to its channel's event loop; `run` is not re-entrant.
final class ServerConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let writeSize = 65_536

    private let connection: HTTP2ServerConnection
    private let application: any HTTP2ServerApplication
    private let configuration: HTTP2ServerConfiguration
    private let framing: ServerFraming
    private let transport: SecureTransport
    private let onClose: (UInt64) -> Void
    private var context: ChannelHandlerContext?
    private var requests: [HTTP2ServerRequest] = []
    private var commands: [HTTP2ServerConnection.Command] = []
    private var isOpen = false
    private var isOver = false
    private var mustEnd = false
    private var isRunning = false
    private var needsFlush = false
    private var handshakeTimer: Scheduled<Void>?
    private var isMuted = false
    /// The time between two bytes; nil sends all bytes at once.
    private var dribble: TimeAmount?
    /// The bytes that are sent one at a time.
    private var dribbling = ByteBuffer()

    init(
        connection: HTTP2ServerConnection,
        application: any HTTP2ServerApplication,
        tls: TLSServerContext,
        configuration: HTTP2ServerConfiguration,
        onClose: @escaping (UInt64) -> Void
    ) throws(HTTP2ConnectionFailure) {
        self.connection = connection
        self.application = application
        self.configuration = configuration
        self.onClose = onClose
        framing = try ServerFraming(configuration: configuration)
        do {
            transport = SecureTransport(tls: try TLSSession(server: tls), framing: framing)
        } catch {
            throw .tls(error)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.attach(self)
        handshakeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: configuration.handshakeTimeout) {
            if !self.isOpen { self.end() }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        over()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver, !mustEnd, !isMuted else { return }
        do throws(HTTP2ConnectionFailure) {
            let progress = try transport.receive(unwrapInboundIn(data))
            if progress.becameSecure { open() }
            if progress.peerClosed { mustEnd = true }
        } catch {
            mustEnd = true
        }
        if let limit = configuration.resetAfterBodyBytes, framing.bodyBytes >= limit { abort(context) }
        grantWindowsLater(context)
    }

    private func grantWindowsLater(_ context: ChannelHandlerContext) {
        guard let delay = configuration.windowUpdateDelay, !framing.unconsumed.isEmpty else { return }
        let consumed = framing.unconsumed
        framing.unconsumed = []
        context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            guard !self.isOver else { return }
            for (stream, bytes) in consumed { self.framing.consume(stream: stream, bytes: bytes) }
            self.run()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        run()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        run()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        over()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end()
    }

    /// Runs commands that the application queued from another thread.
    func runCommands() {
        run()
    }

    private func run() {
        guard !isRunning, !isOver, let context else { return }
        isRunning = true
        connection.expectCommands()
        for stream in framing.oversized {
            framing.submitReset(stream: stream, errorCode: HTTP2ErrorCode.enhanceYourCalm.rawValue)
        }
        framing.oversized.removeAll(keepingCapacity: true)
        deliver()
        connection.takeCommands(into: &commands)
        for command in commands { execute(command, context) }
        commands.removeAll(keepingCapacity: true)
        if !isOver, !isMuted { write(context) }
        isRunning = false
        if mustEnd || (isOpen && framing.isFinished) { end() }
    }

    private func deliver() {
        guard !framing.complete.isEmpty else { return }
        for record in framing.complete {
            if let request = framing.takeRequest(record: record, on: connection) { requests.append(request) }
        }
        framing.complete.removeAll(keepingCapacity: true)
        application.receive(requests, on: connection)
        requests.removeAll(keepingCapacity: true)
    }

    private func execute(_ command: HTTP2ServerConnection.Command, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        switch command {
        case .respond(let stream, let response):
            framing.respond(stream: stream, response)
        case .reset(let stream, let code):
            framing.submitReset(stream: stream, errorCode: code.rawValue)
        case .goAway(let last, let code, let debugData):
            framing.submitGoAway(
                lastStreamID: last ?? framing.lastProcessedStreamID,
                errorCode: code.rawValue,
                debugData: debugData
            )
        case .maxConcurrentStreams(let limit):
            if (try? framing.submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limit)])) == nil {
                mustEnd = true
            }
        case .close:
            framing.terminate(errorCode: HTTP2ErrorCode.noError.rawValue)
            mustEnd = true
        case .abort:
            abort(context)
        case .truncate(let stream, let response):
            truncate(stream, response, context)
        case .mute:
            isMuted = true
        case .dribble(let interval):
            write(context)
            dribble = interval
        }
    }

    private func abort(_ context: ChannelHandlerContext) {
        // A linger time of 0 makes close send RST.
        if let socket = context.channel as? any SocketOptionProvider {
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        isOver = true
        context.close(promise: nil)
    }

    private func truncate(_ stream: Int32, _ response: HTTP2ServerResponse, _ context: ChannelHandlerContext) {
        write(context)
        framing.respond(stream: stream, response)
        _ = try? transport.encrypt(limit: .max)
        if var bytes = transport.takeOutput(allocator: context.channel.allocator),
            let half = bytes.readSlice(length: bytes.readableBytes / 2)
        {
            context.writeAndFlush(wrapOutboundOut(half), promise: nil)
        }
        isOver = true
        context.close(promise: nil)
    }

    private func write(_ context: ChannelHandlerContext) {
        do throws(HTTP2ConnectionFailure) {
            while context.channel.isWritable {
                let hasMore = try transport.encrypt(limit: Self.writeSize)
                writeOutput(context)
                guard hasMore else { break }
            }
        } catch {
            mustEnd = true
        }
        writeOutput(context)
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }

    private func writeOutput(_ context: ChannelHandlerContext) {
        guard var buffer = transport.takeOutput(allocator: context.channel.allocator) else { return }
        if dribble != nil {
            let isIdle = dribbling.readableBytes == 0
            dribbling.writeBuffer(&buffer)
            if isIdle { dribbleOn(context) }
            return
        }
        context.write(wrapOutboundOut(buffer), promise: nil)
        needsFlush = true
    }

    private func dribbleOn(_ context: ChannelHandlerContext) {
        guard !isOver, let dribble, let byte = dribbling.readSlice(length: 1) else { return }
        context.writeAndFlush(wrapOutboundOut(byte), promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: dribble) {
            self.dribbleOn(context)
        }
    }

    private func open() {
        isOpen = true
        handshakeTimer?.cancel()
        let facts = HTTP2ServerConnectionFacts(
            isResumed: transport.tls.isResumed,
            clientCertificate: transport.tls.peerCertificate
        )
        application.connectionOpened(connection, facts: facts)
    }

    /// Sends pending frames, ends TLS and closes.
    private func end() {
        guard !isOver, let context else { return }
        isOver = true
        _ = try? transport.encrypt(limit: .max)
        transport.close()
        writeOutput(context)
        context.flush()
        context.close(promise: nil)
    }

    private func over() {
        isOver = true
        handshakeTimer?.cancel()
        connection.detach()
        onClose(connection.id)
        guard isOpen else { return }
        isOpen = false
        application.connectionClosed(connection)
    }
}
