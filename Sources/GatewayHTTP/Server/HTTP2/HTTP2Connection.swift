internal import CoreMetrics
internal import HTTP2Connections
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import Telemetry
internal import TextFormats

/// The requests of an HTTP/2 connection, with the rules and limits of those of HTTP/1.1.
///
/// Confined to the connection's event loop.
final class HTTP2Connection: HTTP2StreamOwner {
    struct Stream {
        let exchange: HTTP2Exchange
        /// Nil for a surplus stream.
        var slot: SharedSlots.Slot?
        var watch: SlowPeerDetector
        /// Whether its response has no body, whatever the routes write.
        var isBodiless: Bool
        /// Whether its task runs, or its events are being stored.
        var isRunning = false
        /// Whether the client has not ended it.
        var isOpen = true
        /// Whether the head of its response was submitted.
        var isResponding = false
        /// Whether its response was submitted: what follows of its request is dropped.
        var isResponded = false
        /// Whether it must be reset after its response, because its request is not read any further.
        var mustReset = false
        var isResponseSent = false
        /// The bytes of its body without window updates.
        var unconsumed = 0
        var dropped = 0
        /// The write that waits until there is room.
        var writer: EventLoopPromise<Void>?
        /// The open window that the stream has become.
        var window: HTTP2WindowChannel?

        /// Whether nothing happens to the request before the client's next bytes.
        var isPeerAwaited: Bool { unconsumed == 0 && (isResponding || exchange.isReading) }
    }

    /// The response bytes of a stream that wait to be sent, above which its task waits.
    private static let maxUnsentStreamBytes = 65_536
    /// The bytes of all responses that wait to be sent, above which further streams are refused.
    static let maxUnsentBytes = 1 << 20
    /// The bytes of a request that are read after its response: clients that send first and read then get the response.
    private static let maxDroppedBytes = 1 << 20

    /// The requests for tasks; at most ``HTTP2StreamConfiguration/maxStreams`` at a time.
    let requests: AsyncStream<HTTP2Exchange>
    private let queue: AsyncStream<HTTP2Exchange>.Continuation
    private let configuration: HTTP2StreamConfiguration
    let channel: any Channel
    private let address: AddressShare?
    private let slots: SharedSlots
    /// The limit that the connection exceeds.
    private let surplus: RejectionLabel?
    private let connection: ConnectionGuard
    private let limits: ServerLimits
    /// The shared objects of windows; nil if none are opened.
    let windows: WindowHandler.Shell?
    private let events: DirectEvents?
    private let metrics: HTTPMetrics
    private(set) var handler: HTTP2StreamHandler?
    /// Streams that are open, and those whose tasks run: a client must not start work faster than it ends
    /// (CVE-2023-44487).
    var streams: [Int32: Stream] = [:]
    /// Streams whose requests may be handled here if they arrive at once.
    private var collected: [Int32: DirectRoute.Target] = [:]
    /// Streams whose writes wait.
    var blocked: Set<Int32> = []
    /// Streams of windows whose end is to be sent by the next flush.
    var ending: Set<Int32> = []
    private(set) var isStopping = false
    private var isFlushDue = false
    private var idle: Scheduled<Void>?

    init(
        channel: any Channel,
        address: AddressShare?,
        slots: SharedSlots,
        surplus: RejectionLabel?,
        connection: ConnectionGuard,
        limits: ServerLimits,
        windows: WindowHandler.Shell?,
        events: DirectEvents?,
        metrics: HTTPMetrics
    ) {
        // Hummingbird's own limits for heads.
        let heads = HTTP1Channel.Configuration().httpDecoder
        var configuration = HTTP2StreamConfiguration(
            maxHeadBytes: heads.maxHeaderListSize,
            maxFields: heads.maxHeaderFieldCount
        )
        configuration.takesExtendedConnect = windows != nil
        self.configuration = configuration
        self.channel = channel
        self.address = address
        self.slots = slots
        self.surplus = surplus
        self.connection = connection
        self.limits = limits
        self.windows = windows
        self.events = events
        self.metrics = metrics
        (requests, queue) = AsyncStream.makeStream()
    }

    /// Creates the handler for the connection's pipeline.
    func makeHandler() throws -> HTTP2StreamHandler {
        let handler = try HTTP2StreamHandler(configuration: configuration, owner: self)
        self.handler = handler
        connection.onCheck = { [unowned self] in check(now: $0) }
        startIdle()
        return handler
    }

    // MARK: Requests

    func headArrived(_ head: HTTP2RequestHead, stream: Int32) {
        guard let handler, streams.count < configuration.maxStreams, hasRoom(handler) else {
            handler?.reset(stream: stream, .refusedStream)
            return
        }
        idle?.cancel()
        var request = HTTPRequest(head)
        var surplus = surplus
        var slot: SharedSlots.Slot?
        do { slot = try slots.take(address) } catch {
            surplus = surplus ?? (error == .address ? .addressConnections : .connections)
        }
        var watch = SlowPeerDetector(limit: TimeAmount(limits.requestTimeout), start: TimeAmount(limits.startTimeout))
        watch.headArrived(now: channel.eventLoop.now)
        let problem: Problem? =
            if let request, !head.isTruncated {
                RequestHeadRules.rejection(of: request, surplus: surplus, metrics: metrics)
                    ?? WindowConnect.rejection(of: head)
            } else if head.isTruncated {
                Problem(.invalidRequest, status: 431, "The head of the request is too large.")
            } else {
                .unreadable("The method or the name of a header field is invalid.")
            }
        var window: WindowConnect?
        if problem == nil, head.connectProtocol != nil, let connect = WindowConnect(head) {
            // One that is not valid has the response of the route (RFC 8441 section 5: CONNECT stands for GET).
            let isValid = connect.isValid && request?.headerFields.contains(.host) == false
            if isValid { window = connect } else { request?.method = .get }
        }
        let exchange = HTTP2Exchange(
            head: request ?? HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil),
            stream: stream,
            connection: NIOLoopBound(self, eventLoop: channel.eventLoop)
        )
        streams[stream] = Stream(exchange: exchange, slot: slot, watch: watch, isBodiless: request?.method == .head)
        if let problem {
            reject(problem, requestID: request?.headerFields[.xRequestID], stream: stream)
        } else if let window {
            open(window, stream: stream)
        } else if events != nil, let target = DirectEvents.target(of: exchange.head) {
            collected[stream] = target
        } else {
            route(stream)
            // What follows a CONNECT is not a body.
            if head.connectProtocol != nil { requestEnded(stream: stream) }
        }
    }

    /// Passes a request on to a task.
    private func route(_ stream: Int32) {
        guard let place = streams.index(forKey: stream) else { return }
        streams.values[place].isRunning = true
        queue.yield(streams.values[place].exchange)
    }

    func bodyArrived(_ bytes: ByteBuffer, stream: Int32) {
        guard let place = streams.index(forKey: stream), !streams.values[place].isResponded else {
            return drop(bytes.readableBytes, stream: stream)
        }
        if let window = streams.values[place].window {
            handler?.consumeConnection(bytes: bytes.readableBytes)
            return window.arrived(bytes)
        }
        streams.values[place].watch.bodyBegan()
        streams.values[place].unconsumed += bytes.readableBytes
        streams.values[place].exchange.arrived(bytes)
    }

    private func drop(_ count: Int, stream: Int32) {
        handler?.consume(stream: stream, bytes: count)
        guard let place = streams.index(forKey: stream) else { return }
        streams.values[place].dropped += count
        guard streams.values[place].dropped > Self.maxDroppedBytes else { return }
        resetAfterResponse(place, stream: stream)
    }

    private func resetAfterResponse(_ place: Dictionary<Int32, Stream>.Index, stream: Int32) {
        streams.values[place].mustReset = true
        // RFC 9113 section 8.1: the response is complete, and the rest of the request is not needed.
        if streams.values[place].isResponseSent { handler?.reset(stream: stream, .noError) }
    }

    func requestEnded(stream: Int32) {
        guard let place = streams.index(forKey: stream) else { return }
        if let window = streams.values[place].window { return window.inputEnded() }
        let exchange = streams.values[place].exchange
        streams.values[place].watch.requestArrived()
        exchange.completed()
        guard let target = collected.removeValue(forKey: stream) else { return }
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let isTaken = events?.respond(to: exchange.head, target, exchange.untaken, on: channel) { reply in
            connection.value.finish(reply.head, reply.body, stream: stream)
            connection.value.taskEnded(stream: stream)
        }
        if isTaken == true { streams.values[place].isRunning = true } else { route(stream) }
    }

    /// Grants windows for bytes that the request's task has taken.
    func consumed(_ count: Int, stream: Int32) {
        guard let handler, let place = streams.index(forKey: stream), streams.values[place].isOpen else { return }
        // The end of the response has granted all.
        let count = min(count, streams.values[place].unconsumed)
        streams.values[place].unconsumed -= count
        handler.consume(stream: stream, bytes: count)
        handler.flush()
    }

    // MARK: Responses

    /// Submits a piece of a response; the promise is fulfilled when there is room for more.
    func write(_ head: HTTPResponse?, _ bytes: ByteBuffer, stream: Int32, _ promise: EventLoopPromise<Void>) {
        guard let handler, let place = open(stream) else { return promise.fail(ChannelError.ioOnClosedChannel) }
        if let head { begin(head, hasBody: true, place, stream: stream) }
        if !streams.values[place].isBodiless {
            streams.values[place].watch.wrote(bytes: bytes.readableBytes)
            handler.write(bytes, stream: stream, isLast: false)
        }
        handler.flush()
        guard let place = open(stream) else { return promise.fail(ChannelError.ioOnClosedChannel) }
        guard handler.unsentBytes(of: stream) > Self.maxUnsentStreamBytes else { return promise.succeed() }
        streams.values[place].writer = promise
        blocked.insert(stream)
    }

    /// Submits the end of a response.
    func finish(_ head: HTTPResponse?, _ bytes: ByteBuffer?, stream: Int32) {
        guard let handler, let place = open(stream) else { return }
        let bytes = bytes ?? ByteBuffer()
        if let head { begin(head, hasBody: bytes.readableBytes > 0, place, stream: stream) }
        if !streams.values[place].isBodiless {
            streams.values[place].watch.wrote(bytes: bytes.readableBytes)
            handler.write(bytes, stream: stream, isLast: true)
        }
        streams.values[place].isResponded = true
        handler.consume(stream: stream, bytes: streams.values[place].unconsumed)
        streams.values[place].unconsumed = 0
        flushSoon()
    }

    /// Sends the responses of this moment together: those to the events of one commit come one after the other.
    func flushSoon() {
        guard !isFlushDue else { return }
        isFlushDue = true
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.eventLoop.execute {
            connection.value.isFlushDue = false
            connection.value.handler?.flush()
        }
    }

    /// Asks for a body, unless it has begun to arrive.
    func sendContinue(stream: Int32) {
        guard let handler, let place = open(stream), !streams.values[place].isResponding else { return }
        handler.respondInterim(stream: stream, status: 100)
        handler.flush()
    }

    /// The place of a stream whose response is not complete.
    func open(_ stream: Int32) -> Dictionary<Int32, Stream>.Index? {
        streams.index(forKey: stream).flatMap { place in
            streams.values[place].isOpen && !streams.values[place].isResponded ? place : nil
        }
    }

    private func begin(_ head: HTTPResponse, hasBody: Bool, _ place: Dictionary<Int32, Stream>.Index, stream: Int32) {
        streams.values[place].isResponding = true
        // RFC 9110 sections 15.3.5 and 15.4.5.
        if !hasBody || head.status == .noContent || head.status == .notModified {
            streams.values[place].isBodiless = true
        }
        var fields: [(name: String, value: String)] = []
        for field in head.headerFields where !Self.connectionFields.contains(field.name) {
            if field.name == .contentLength, head.status == .noContent { continue }
            fields.append((field.name.canonicalName, field.value))
        }
        handler?.respond(
            stream: stream,
            status: head.status.code,
            fields: fields,
            hasBody: !streams.values[place].isBodiless
        )
    }

    /// The fields of an HTTP/1.1 connection, which HTTP/2 does not have (RFC 9113 section 8.2.2).
    private static let connectionFields: Set<HTTPField.Name> = [.connection, .transferEncoding, .upgrade]

    /// Responds to a request that does not reach the routes, or not any more.
    private func reject(_ problem: Problem, requestID: String?, stream: Int32) {
        let (head, body) = problem.message(requestID: requestID)
        finish(head, body, stream: stream)
    }

    func responseSent(stream: Int32) {
        guard let place = streams.index(forKey: stream) else { return }
        streams.values[place].isResponseSent = true
        if streams.values[place].mustReset { handler?.reset(stream: stream, .noError) }
        if surplus != nil { handler?.stop() }
    }

    func framesWritten() {
        // Of these a part did not arrive with the rest.
        for stream in collected.keys { route(stream) }
        collected.removeAll()
        guard let handler else { return }
        if handler.unsentBytes > 0 { connection.watchResponses() }
        if !ending.isEmpty { endWindows(handler) }
        for stream in blocked {
            let unsent = handler.unsentBytes(of: stream)
            if let window = streams[stream]?.window {
                if unsent == 0 { blocked.remove(stream) }
                window.sent(unsent: unsent)
            } else if unsent <= Self.maxUnsentStreamBytes {
                blocked.remove(stream)
                guard let place = streams.index(forKey: stream) else { continue }
                streams.values[place].writer?.succeed()
                streams.values[place].writer = nil
            }
        }
    }

    // MARK: Ends

    func streamClosed(_ stream: Int32) {
        guard let place = streams.index(forKey: stream) else { return }
        handler?.consume(stream: stream, bytes: streams.values[place].unconsumed)
        close(place)
        remove(stream)
    }

    private func close(_ place: Dictionary<Int32, Stream>.Index) {
        streams.values[place].isOpen = false
        streams.values[place].unconsumed = 0
        streams.values[place].exchange.closed()
        streams.values[place].writer?.fail(ChannelError.ioOnClosedChannel)
        streams.values[place].writer = nil
        let window = streams.values[place].window
        streams.values[place].window = nil
        window?.ended()
    }

    /// Records the end of a request's task; without a complete response the stream is reset.
    func taskEnded(stream: Int32) {
        guard let place = streams.index(forKey: stream) else { return }
        streams.values[place].isRunning = false
        if open(stream) != nil {
            handler?.reset(stream: stream, .internalError)
            handler?.flush()
        }
        remove(stream)
    }

    /// Removes a stream that is closed and has no task.
    private func remove(_ stream: Int32) {
        guard let ended = streams[stream], !ended.isOpen, !ended.isRunning else { return }
        streams[stream] = nil
        blocked.remove(stream)
        collected[stream] = nil
        ended.slot?.release()
        if streams.isEmpty { startIdle() }
    }

    private func startIdle() {
        guard let handler else { return }
        idle?.cancel()
        idle = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.idleTimeout)) { handler.stop() }
    }

    func bytesHandled(isWithinHead: Bool) {
        if !isWithinHead { connection.watch.requestArrived() }
    }

    func flooded() { metrics.cutOff[.flood].increment() }

    func stopRequested() {
        isStopping = true
        handler?.stop()
        for window in streams.values.compactMap(\.window) { window.stop() }
    }

    func connectionClosed() {
        idle?.cancel()
        handler = nil
        connection.onCheck = { _ in false }
        queue.finish()
        for stream in Array(streams.keys) {
            guard let place = streams.index(forKey: stream) else { continue }
            close(place)
            remove(stream)
        }
    }

    /// Ends what is too slow; true if there are streams to be checked again.
    private func check(now: NIODeadline) -> Bool {
        guard let handler else { return false }
        var isAnyPending = false
        for stream in Array(streams.keys) {
            guard let place = streams.index(forKey: stream), streams.values[place].isOpen,
                streams.values[place].window == nil
            else { continue }
            // As long as the task does not wait for the body, it may be about to respond.
            let isPeerAwaited = streams.values[place].isPeerAwaited
            let buffered = handler.unsentBytes(of: stream)
            switch streams.values[place].watch.check(now: now, buffered: buffered, isPeerAwaited: isPeerAwaited) {
            case .idle, .close: break
            case .checkAgain: isAnyPending = true
            case .cut(let reason):
                metrics.cutOff[reason].increment()
                cut(reason, place, stream: stream)
            }
        }
        handler.flush()
        return isAnyPending
    }

    private func cut(_ reason: CutOffLabel, _ place: Dictionary<Int32, Stream>.Index, stream: Int32) {
        guard reason == .slowBody, !streams.values[place].isResponding || streams.values[place].isResponded else {
            handler?.reset(stream: stream, .cancel)
            return
        }
        // Nothing more is waited for.
        streams.values[place].watch.requestArrived()
        streams.values[place].exchange.closed()
        resetAfterResponse(place, stream: stream)
        if !streams.values[place].isResponding {
            reject(.slowBody, requestID: streams.values[place].exchange.requestID, stream: stream)
        }
    }
}

extension HTTPRequest {
    /// Creates the request of a stream; nil when a name is no token.
    fileprivate init?(_ head: HTTP2RequestHead) {
        guard let method = Method(head.method) else { return nil }
        self.init(method: method, scheme: head.scheme, authority: head.authority, path: head.path)
        for field in head.fields {
            guard let name = HTTPField.Name(field.name) else { return nil }
            if name == .host {
                // One that names another host stays, and the request is rejected for it (RFC 9113 section 8.3.1).
                if authority == nil { authority = field.value }
                if authority?.hasSameBytes(as: field.value) == true { continue }
            }
            headerFields.append(HTTPField(name: name, value: field.value))
        }
        // For the routes a body of unknown length is announced as in HTTP/1.1; a client cannot send this field (RFC 9113
        // section 8.2.2).
        if !head.isLast, !headerFields.contains(.contentLength) { headerFields[.transferEncoding] = "chunked" }
    }
}
