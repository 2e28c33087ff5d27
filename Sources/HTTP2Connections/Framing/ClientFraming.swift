internal import CNghttp2

/// The client side of HTTP/2: submits requests, collects responses, records events.
final class ClientFraming: FramingSession {
    /// An event of an nghttp2 callback; events are handled in order once nghttp2 has returned.
    enum Event: Equatable {
        case settings(maxConcurrentStreams: UInt32)
        case pingAcknowledged
        case goAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8])
        case notSent(record: Int)
        /// The response is complete although the request's body is not sent yet.
        case endedEarly(record: Int)
        case closed(record: Int, errorCode: UInt32, isComplete: Bool)
    }

    /// The most bytes kept of a GOAWAY's debug data: enough for a reason text.
    private static let debugDataLimit = 1024

    /// Events since they were last taken.
    var events: [Event] = []
    /// The highest stream whose HEADERS were sent; ids rise in the order of sending.
    private(set) var lastSentStreamID: Int32 = 0

    /// Bytes of submitted bodies that are not sent yet.
    private var unsentBodyBytes = 0

    private let authority: String
    private let headerLimit: Int
    private let bodyLimit: Int
    private let block = HeaderBlock()
    private var exchanges: [ClientExchange] = []
    /// The stream looked up last: the callbacks of one response come in a row.
    private var latest: (stream: Int32, record: Int) = (0, 0)

    init(authority: String, configuration: HTTP2ConnectionConfiguration) throws(HTTP2ConnectionFailure) {
        self.authority = authority
        headerLimit = configuration.maximumResponseHeaderBytes
        bodyLimit = configuration.maximumResponseBodyBytes
        try super.init(role: .client)
        try submitSettings([
            (NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, UInt32(clamping: configuration.initialWindowSize)),
        ])
        // Responses of many streams together must not wait for our window updates: 1 MiB for the connection.
        grantConnectionWindow(1 << 20)
    }

    // MARK: - Requests

    /// Queues a request under a record number that is free.
    ///
    /// - Returns: Its stream id, or `nil` when it could not be queued.
    func submit(_ request: HTTP2Request, record: Int) -> Int32? {
        var byteCount = request.method.utf8.count + request.path.utf8.count + authority.utf8.count + 5
        for header in request.headers { byteCount += header.value.utf8.count }
        block.begin(byteCount: byteCount)
        block.append(":method", request.method)
        block.append(":scheme", "https")
        block.append(":authority", authority)
        block.append(":path", request.path)
        let secret = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        for header in request.headers {
            switch header.indexing {
            case .incremental: block.append(header.name.text, header.value)
            case .withoutIndexing, .neverIndexed: block.append(header.name.text, header.value, flags: secret)
            }
        }
        guard let stream = submitRequest(block.fields, record: record, hasBody: !request.body.isEmpty) else {
            return nil
        }
        while exchanges.count <= record { exchanges.append(ClientExchange()) }
        exchanges[record].requestID = request.id
        exchanges[record].streamID = stream
        exchanges[record].body = request.body
        unsentBodyBytes += request.body.count
        return stream
    }

    /// The rest of the connection's send window for requests that are not submitted yet; not positive when the
    /// submitted ones use it up.
    var freeWindow: Int { remoteWindow - unsentBodyBytes }

    /// The status of the response so far.
    func status(record: Int) -> Int {
        exchanges[record].status
    }

    /// Frees a record and returns its content.
    func finish(record: Int) -> ClientExchange {
        let exchange = exchanges[record]
        unsentBodyBytes -= exchange.body.count - exchange.bodyOffset
        // Later frames of the stream find another stream id in the record and are ignored.
        exchanges[record] = ClientExchange()
        if latest.stream == exchange.streamID { latest.stream = 0 }
        return exchange
    }

    // MARK: - Callbacks

    override func receivedHeader(stream: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let record = exchange(of: stream) else { return }
        if name.first == UInt8(ascii: ":") {
            // `:status` is the only pseudo header of a response. Interim responses (1xx) are overwritten by the next.
            var status = 0
            for digit in value where digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9") {
                status = min(status * 10 + Int(digit - UInt8(ascii: "0")), 999)
            }
            exchanges[record].status = status
            exchanges[record].headers.removeAll()
            return
        }
        guard exchanges[record].headers.byteCount + name.count + value.count + 4 <= headerLimit else { return }
        exchanges[record].headers.append(name: name, value: value)
    }

    override func receivedData(stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let record = exchange(of: stream) else { return }
        let room = bodyLimit - exchanges[record].responseBody.count
        guard room > 0 else { return }
        exchanges[record].responseBody.append(contentsOf: UnsafeBufferPointer(rebasing: bytes.prefix(room)))
    }

    override func receivedEnd(stream: Int32) {
        guard let record = exchange(of: stream) else { return }
        exchanges[record].isEnded = true
        if exchanges[record].bodyOffset < exchanges[record].body.count { events.append(.endedEarly(record: record)) }
    }

    override func receivedSettings() {
        events.append(.settings(maxConcurrentStreams: remoteMaxConcurrentStreams))
    }

    override func receivedPingAck() {
        events.append(.pingAcknowledged)
    }

    override func receivedGoAway(lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeBufferPointer<UInt8>) {
        events.append(
            .goAway(
                lastStreamID: lastStreamID,
                errorCode: errorCode,
                debugData: Array(debugData.prefix(Self.debugDataLimit))
            )
        )
    }

    override func sentHeaders(stream: Int32) {
        lastSentStreamID = max(lastSentStreamID, stream)
    }

    override func didNotSendHeaders(stream: Int32) {
        // nghttp2 may not have the stream, so its record is searched instead of looked up. Rare.
        guard let record = exchanges.firstIndex(where: { $0.streamID == stream }) else { return }
        events.append(.notSent(record: record))
    }

    override func closed(stream: Int32, errorCode: UInt32) {
        guard let record = exchange(of: stream) else { return }
        let isComplete = exchanges[record].isEnded && exchanges[record].status >= 200
        events.append(.closed(record: record, errorCode: errorCode, isComplete: isComplete))
        latest.stream = 0
    }

    override func readBody(
        record: Int,
        stream: Int32,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (Int, isLast: Bool)? {
        guard exchanges[record].streamID == stream else { return nil }
        let offset = exchanges[record].bodyOffset
        let count = min(buffer.count, exchanges[record].body.count - offset)
        exchanges[record].body.withUnsafeBufferPointer { body in
            guard let source = body.baseAddress, let target = buffer.baseAddress else { return }
            target.update(from: source + offset, count: count)
        }
        exchanges[record].bodyOffset = offset + count
        unsentBodyBytes -= count
        return (count, isLast: offset + count == exchanges[record].body.count)
    }

    private func exchange(of stream: Int32) -> Int? {
        if latest.stream == stream { return latest.record }
        guard let record = record(of: stream), record < exchanges.count, exchanges[record].streamID == stream else {
            return nil
        }
        latest = (stream, record)
        return record
    }
}
