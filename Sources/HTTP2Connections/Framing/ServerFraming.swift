internal import CNghttp2

/// The server side of HTTP/2: collects requests, submits responses.
final class ServerFraming: FramingSession {
    /// One request and its response while its stream is open.
    struct Exchange {
        /// 0 while the record is free.
        var streamID: Int32 = 0
        var method = ""
        var path = ""
        var headers: [(name: String, value: String)] = []
        var headerBytes = 0
        var body: [UInt8] = []
        var isBodyTruncated = false
        var responseBody: [UInt8] = []
        var responseOffset = 0
    }

    /// Records of complete requests, in the order of their ends, since they were last taken.
    var complete: [Int] = []
    /// Streams to be reset because their headers are too large.
    var oversized: [Int32] = []

    /// Body bytes by stream that have no window update yet, since they were last taken.
    var unconsumed: [(stream: Int32, bytes: Int)] = []
    /// The number of body bytes so far.
    private(set) var bodyBytes = 0

    private let configuration: HTTP2ServerConfiguration
    private let block = HeaderBlock()
    private var exchanges: [Exchange] = []
    private var free: [Int] = []
    private var latest: (stream: Int32, record: Int) = (0, 0)

    init(configuration: HTTP2ServerConfiguration) throws(HTTP2ConnectionFailure) {
        self.configuration = configuration
        try super.init(role: .server, grantsWindows: configuration.windowUpdateDelay == nil)
        try submitSettings([
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, configuration.maxConcurrentStreams),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, configuration.initialWindowSize),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, configuration.maxHeaderListSize),
            // Avoids the priority tree of RFC 7540 (RFC 9218 section 2.1).
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ])
        if configuration.connectionWindowSize > 65_535 { grantConnectionWindow(configuration.connectionWindowSize) }
    }

    /// Removes and returns the complete request of a record; the record stays for the response.
    func takeRequest(record: Int, on connection: HTTP2ServerConnection) -> HTTP2ServerRequest? {
        guard exchanges[record].streamID != 0 else { return nil }
        let request = HTTP2ServerRequest(
            stream: HTTP2ServerStream(connection: connection, id: exchanges[record].streamID),
            method: exchanges[record].method,
            path: exchanges[record].path,
            headers: exchanges[record].headers,
            body: exchanges[record].body,
            isBodyTruncated: exchanges[record].isBodyTruncated
        )
        exchanges[record].headers = []
        exchanges[record].body = []
        return request
    }

    /// Queues a response; dropped when the stream has ended.
    func respond(stream: Int32, _ response: HTTP2ServerResponse) {
        guard let record = exchange(of: stream) else { return }
        var byteCount = 8
        for header in response.headers { byteCount += header.name.utf8.count + header.value.utf8.count }
        block.begin(byteCount: byteCount)
        block.append(":status", String(min(max(response.status, 200), 999)))
        for header in response.headers { block.append(copying: header.name, header.value) }
        exchanges[record].responseBody = response.body
        exchanges[record].responseOffset = 0
        let isTaken = submitResponse(block.fields, stream: stream, record: record, hasBody: !response.body.isEmpty)
        if !isTaken { submitReset(stream: stream, errorCode: HTTP2ErrorCode.internalError.rawValue) }
    }

    // MARK: - Callbacks

    override func beganHeaders(stream: Int32, isRequest: Bool) {
        guard isRequest else { return }
        let record: Int
        if let last = free.popLast() {
            record = last
        } else {
            record = exchanges.count
            exchanges.append(Exchange())
        }
        exchanges[record].streamID = stream
        setRecord(record, of: stream)
        latest = (stream, record)
    }

    override func receivedHeader(stream: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let record = exchange(of: stream) else { return }
        // A field's size counts 32 bytes of overhead (RFC 9113 section 6.5.2).
        exchanges[record].headerBytes += name.count + value.count + 32
        guard exchanges[record].headerBytes <= Int(configuration.maxHeaderListSize) else {
            if oversized.last != stream { oversized.append(stream) }
            return
        }
        let name = String(decoding: name, as: UTF8.self)
        let value = String(decoding: value, as: UTF8.self)
        switch name {
        case ":method": exchanges[record].method = value
        case ":path": exchanges[record].path = value
        case ":scheme": break
        default: exchanges[record].headers.append((name, value))
        }
    }

    override func receivedData(stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        bodyBytes += bytes.count
        if configuration.windowUpdateDelay != nil { unconsumed.append((stream, bytes.count)) }
        guard let record = exchange(of: stream) else { return }
        let room = configuration.maximumBodyBytes - exchanges[record].body.count
        if bytes.count > room { exchanges[record].isBodyTruncated = true }
        guard room > 0 else { return }
        exchanges[record].body.append(contentsOf: UnsafeBufferPointer(rebasing: bytes.prefix(room)))
    }

    override func receivedEnd(stream: Int32) {
        guard let record = exchange(of: stream), oversized.last != stream else { return }
        complete.append(record)
    }

    override func closed(stream: Int32, errorCode: UInt32) {
        guard let record = exchange(of: stream) else { return }
        exchanges[record] = Exchange()
        free.append(record)
        latest.stream = 0
    }

    override func readBody(
        record: Int,
        stream: Int32,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (Int, isLast: Bool)? {
        guard exchanges[record].streamID == stream else { return nil }
        let offset = exchanges[record].responseOffset
        let count = min(buffer.count, exchanges[record].responseBody.count - offset)
        exchanges[record].responseBody.withUnsafeBufferPointer { body in
            guard let source = body.baseAddress, let target = buffer.baseAddress else { return }
            target.update(from: source + offset, count: count)
        }
        exchanges[record].responseOffset = offset + count
        return (count, isLast: offset + count == exchanges[record].responseBody.count)
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
