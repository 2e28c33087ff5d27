internal import HTTP2Connections
internal import NIOCore

/// The windows of an HTTP/2 connection (RFC 8441), each on a stream of its own.
extension HTTP2Connection {
    /// The time that a client has to end its side of a stream after the gateway.
    private static let endDelay = TimeAmount.seconds(1)

    /// Opens a window on a stream whose head has arrived.
    func open(_ connect: WindowConnect, stream: Int32) {
        guard let handler, let windows else { return }
        let subprotocol = ("sec-websocket-protocol", WindowRequest.subprotocol)
        let fields = connect.request.offersSubprotocol ? [subprotocol] : []
        handler.respond(stream: stream, status: 200, fields: fields, hasBody: true)
        let window = HTTP2WindowChannel(stream: stream, parent: channel, connection: self)
        streams[stream]?.window = window
        streams[stream]?.isResponding = true
        // Its own state machine watches the client.
        streams[stream]?.watch.requestArrived()
        do {
            // A rejected window keeps the stream's slot until it is closed.
            if try windows.addHandlers(for: connect.request, connect.head, to: window).hasSlot {
                streams[stream]?.slot?.release()
            }
            window.begin()
            if isStopping { window.stop() }
        } catch {
            handler.reset(stream: stream, .internalError)
        }
        flushSoon()
    }

    /// Submits bytes of a window, which learns by `sent` when they have left.
    func write(_ bytes: ByteBuffer, window stream: Int32) {
        handler?.write(bytes, stream: stream, isLast: false)
        blocked.insert(stream)
    }

    /// Grants the stream's window for bytes that a window has taken.
    func taken(_ count: Int, window stream: Int32) {
        handler?.consumeStream(stream, bytes: count)
        flushSoon()
    }

    /// Ends the stream of a window; `isAwaited` if the client has not ended its side.
    func end(window stream: Int32, isAwaited: Bool) {
        guard let handler, let place = open(stream) else { return }
        streams.values[place].window = nil
        streams.values[place].isResponded = true
        handler.write(ByteBuffer(), stream: stream, isLast: true)
        ending.insert(stream)
        flushSoon()
        guard isAwaited else { return }
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.endDelay) { [self] in
            guard streams[stream] != nil else { return }
            // RFC 9113 section 8.1.
            handler.reset(stream: stream, .noError)
            handler.flush()
        }
    }

    /// Resets the streams of ended windows whose last bytes could not be sent: they are lost, as when a socket is closed.
    func endWindows(_ handler: HTTP2StreamHandler) {
        for stream in ending where streams[stream]?.isResponseSent == false {
            handler.reset(stream: stream, .cancel)
            flushSoon()
        }
        ending.removeAll()
    }

    /// Whether the responses that wait to be sent leave room for others.
    ///
    /// The bytes of windows are not included: each window has its own limit.
    func hasRoom(_ handler: HTTP2StreamHandler) -> Bool {
        guard handler.unsentBytes >= Self.maxUnsentBytes else { return true }
        let waiting = streams.lazy.filter { $0.value.window != nil }.map { handler.unsentBytes(of: $0.key) }
        return handler.unsentBytes - waiting.reduce(0, +) < Self.maxUnsentBytes
    }
}
