internal import CNghttp2
internal import NIOCore

/// The server side of HTTP/2 with bodies that are streamed: records what arrives, and sends what is written.
final class StreamFraming: FramingSession {
    /// An event of an nghttp2 callback; events are handled in order once nghttp2 has returned.
    enum Event {
        case pingAcknowledged
        case head(stream: Int32)
        case body(stream: Int32, ByteBuffer)
        case end(stream: Int32)
        case responseSent(stream: Int32)
        case closed(stream: Int32)
    }

    private struct Stream {
        var head = HTTP2RequestHead()
        var isHeadComplete = false
        /// The bytes of the response that are not in a frame yet.
        var output = ByteBuffer()
        var isOutputComplete = false
        var isResponseSent = false
    }

    private(set) var budget: FrameBudget
    /// The bytes of all responses that are not in a frame yet.
    private(set) var unsentBytes = 0
    /// Whether the client has begun with its preface and SETTINGS.
    private(set) var hasBegun = false
    /// Whether the client opens no more streams.
    private(set) var isPeerLeaving = false
    private let configuration: HTTP2StreamConfiguration
    private let block = HeaderBlock()
    private var events: [Event] = []
    private var streams: [Int32: Stream] = [:]

    init(configuration: HTTP2StreamConfiguration, now: NIODeadline) throws(HTTP2ConnectionFailure) {
        self.configuration = configuration
        budget = FrameBudget(now: now)
        try super.init(role: .server, grantsWindows: false)
        var settings = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, UInt32(configuration.maxStreams)),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(configuration.maxHeadBytes)),
            // Avoids the priority tree of RFC 7540 (RFC 9218 section 2.1).
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ]
        if configuration.takesExtendedConnect { settings.append((NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1)) }
        try submitSettings(settings)
        grantConnectionWindow(configuration.connectionWindow)
    }

    /// Processes received bytes, unless their frames exceed the budget.
    func receive(_ bytes: UnsafeRawBufferPointer, now: NIODeadline) throws(HTTP2ConnectionFailure) {
        budget.count(bytes, now: now)
        if !budget.isExceeded { try receive(bytes) }
    }

    /// Removes and returns the events since the last call.
    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Removes and returns the head of a stream's request.
    func takeHead(of stream: Int32) -> HTTP2RequestHead? {
        defer { streams[stream]?.head = HTTP2RequestHead() }
        return streams[stream]?.head
    }

    // MARK: Responses

    /// Queues the head of a response; without a body it is the whole response.
    func respond(stream: Int32, status: Int, fields: [(name: String, value: String)], hasBody: Bool) {
        fill(status: status, fields)
        if !hasBody { streams[stream]?.isOutputComplete = true }
        guard !submitResponse(block.fields, stream: stream, record: Int(stream), hasBody: hasBody) else { return }
        submitReset(stream: stream, errorCode: HTTP2ErrorCode.internalError.rawValue)
    }

    /// Queues an interim response without fields.
    func respondInterim(stream: Int32, status: Int) {
        fill(status: status, [])
        submitInterim(block.fields, stream: stream)
    }

    private func fill(status: Int, _ fields: [(name: String, value: String)]) {
        block.begin(byteCount: fields.reduce(3) { $0 + $1.name.utf8.count + $1.value.utf8.count })
        block.append(":status", String(status))
        for field in fields { block.append(copying: field.name, field.value) }
    }

    /// Appends bytes to the body of a response.
    func write(_ bytes: ByteBuffer, stream: Int32, isLast: Bool) {
        guard let place = streams.index(forKey: stream) else { return }
        var bytes = bytes
        unsentBytes += bytes.readableBytes
        let unsent = streams.values[place].output.readableBytes
        if unsent == 0 {
            streams.values[place].output = bytes
        } else {
            // What was sent makes room, or a response that is never sent up to its last byte would grow without limit.
            if streams.values[place].output.readerIndex > unsent { streams.values[place].output.discardReadBytes() }
            streams.values[place].output.writeBuffer(&bytes)
        }
        if isLast { streams.values[place].isOutputComplete = true }
        resume(stream: stream)
    }

    /// The bytes of a response that are not in a frame yet.
    func unsentBytes(of stream: Int32) -> Int { streams[stream]?.output.readableBytes ?? 0 }

    // MARK: Callbacks

    override func beganHeaders(stream: Int32, isRequest: Bool) {
        if isRequest { streams[stream] = Stream() }
    }

    override func receivedHeader(stream: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        // Trailers are ignored.
        guard let place = streams.index(forKey: stream), !streams.values[place].isHeadComplete else { return }
        // A field's size counts 32 bytes of overhead (RFC 9113 section 6.5.2). Nothing is copied of one too many.
        streams.values[place].head.byteCount += name.count + value.count + 32
        guard streams.values[place].head.byteCount <= configuration.maxHeadBytes,
            streams.values[place].head.fields.count < configuration.maxFields
        else {
            streams.values[place].head.isTruncated = true
            return
        }
        streams.values[place].head.add(
            String(decoding: name, as: UTF8.self),
            String(decoding: value, as: UTF8.self)
        )
    }

    override func receivedHead(stream: Int32, isLast: Bool) {
        streams[stream]?.isHeadComplete = true
        streams[stream]?.head.isLast = isLast
        events.append(.head(stream: stream))
    }

    override func receivedData(stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        if case .body(let last, var buffer) = events.last, last == stream {
            // The only reference to the buffer: the bytes that are in it are not copied.
            events.removeLast()
            buffer.writeBytes(bytes)
            events.append(.body(stream: stream, buffer))
        } else {
            events.append(.body(stream: stream, ByteBuffer(bytes: bytes)))
        }
    }

    override func receivedEnd(stream: Int32) { events.append(.end(stream: stream)) }

    override func receivedSettings() { hasBegun = true }

    override func receivedPingAck() { events.append(.pingAcknowledged) }

    override func receivedGoAway(lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeBufferPointer<UInt8>) {
        isPeerLeaving = true
    }

    override func sentData(stream: Int32, bytes: Int) { budget.earn(sentBytes: bytes) }

    override func sentEnd(stream: Int32) {
        streams[stream]?.isResponseSent = true
        events.append(.responseSent(stream: stream))
    }

    override func sentReset(stream: Int32) { budget.spend(FrameBudget.reset) }

    override func closed(stream: Int32, errorCode: UInt32) {
        guard let ended = streams.removeValue(forKey: stream) else { return }
        unsentBytes -= ended.output.readableBytes
        if ended.isResponseSent { budget.earn(FrameBudget.response) }
        events.append(.closed(stream: stream))
    }

    override func readBody(
        record: Int,
        stream: Int32,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (Int, isLast: Bool)? {
        guard let place = streams.index(forKey: stream) else { return nil }
        let count = streams.values[place].output.readWithUnsafeReadableBytes { bytes in
            let count = min(bytes.count, buffer.count)
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            return count
        }
        unsentBytes -= count
        let isEmpty = streams.values[place].output.readableBytes == 0
        if isEmpty { streams.values[place].output = ByteBuffer() }
        return (count, isLast: isEmpty && streams.values[place].isOutputComplete)
    }
}

extension HTTP2RequestHead {
    /// Adds a field, or a pseudo-header field; nghttp2 has checked their order and number.
    fileprivate mutating func add(_ name: String, _ value: String) {
        switch name {
        case ":method": method = value
        case ":scheme": scheme = value
        case ":authority": authority = value
        case ":path": path = value
        case ":protocol": connectProtocol = value
        case "cookie":
            if let place = fields.firstIndex(where: { $0.name == "cookie" }) {
                fields[place].value += "; " + value
            } else {
                fields.append((name, value))
            }
        default: fields.append((name, value))
        }
    }
}
