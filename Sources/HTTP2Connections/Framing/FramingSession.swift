internal import CNghttp2

/// The one owner of an `nghttp2_session`: HTTP/2 frames of one connection, without socket and without TLS.
///
/// Confined to its connection's event loop. nghttp2 must not be entered from its own callbacks (its programmers' guide;
/// doing so has crashed other users): subclasses' overrides only record events, which are handled after `receive` or
/// `nextChunk` has returned. Entering twice traps.
class FramingSession {
    /// The side of the connection.
    enum Role {
        case client
        case server
    }

    private var session: OpaquePointer?
    private var isEntered = false

    /// Creates a session without queued frames: call `submitSettings` first.
    ///
    /// - Parameters:
    ///   - role: The side of the connection.
    ///   - grantsWindows: Whether nghttp2 sends window updates automatically; if not, `consume` does.
    /// - Throws: An error when there is no memory.
    init(role: Role, grantsWindows: Bool = true) throws(HTTP2ConnectionFailure) {
        var callbacks: OpaquePointer?
        var option: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else { throw .broken("out of memory") }
        defer { nghttp2_session_callbacks_del(callbacks) }
        guard nghttp2_option_new(&option) == 0, let option else { throw .broken("out of memory") }
        defer { nghttp2_option_del(option) }
        nghttp2_option_set_no_closed_streams(option, 1)
        if !grantsWindows { nghttp2_option_set_no_auto_window_update(option, 1) }
        Self.install(in: callbacks)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        let result =
            switch role {
            case .client: nghttp2_session_client_new2(&session, callbacks, owner, option)
            case .server: nghttp2_session_server_new2(&session, callbacks, owner, option)
            }
        guard result == 0, session != nil else { throw .broken(Self.text(result)) }
    }

    deinit {
        // Without callbacks: the owner fails open streams.
        nghttp2_session_del(session)
    }

    // MARK: - Callbacks for subclasses

    func beganHeaders(stream: Int32, isRequest: Bool) {}
    func receivedHeader(stream: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {}
    /// The header block of a request is complete; `isLast` if it has no body.
    func receivedHead(stream: Int32, isLast: Bool) {}
    func receivedData(stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {}
    func receivedEnd(stream: Int32) {}
    func receivedSettings() {}
    func receivedPingAck() {}
    func receivedGoAway(lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeBufferPointer<UInt8>) {}
    func sentHeaders(stream: Int32) {}
    func didNotSendHeaders(stream: Int32) {}
    func sentData(stream: Int32, bytes: Int) {}
    /// The last frame of a response was sent.
    func sentEnd(stream: Int32) {}
    func sentReset(stream: Int32) {}
    func closed(stream: Int32, errorCode: UInt32) {}

    /// Copies the next bytes of the body of record `record`.
    ///
    /// - Returns: How many bytes were copied and whether they are the last; 0 that are not the last wait for `resume`;
    ///   `nil` when the record belongs to another stream.
    func readBody(record: Int, stream: Int32, into buffer: UnsafeMutableBufferPointer<UInt8>) -> (Int, isLast: Bool)? {
        nil
    }

    // MARK: - Input and output

    /// Processes decrypted bytes.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2ConnectionFailure) {
        enter()
        defer { isEntered = false }
        let result = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        guard result >= 0 else { throw .broken(Self.text(Int32(clamping: result))) }
    }

    /// Returns the next frames to be sent, or `nil` when there are none.
    ///
    /// Valid until the next call.
    func nextChunk() throws(HTTP2ConnectionFailure) -> UnsafeRawBufferPointer? {
        enter()
        defer { isEntered = false }
        var start: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(session, &start)
        guard count >= 0 else { throw .broken(Self.text(Int32(clamping: count))) }
        return count == 0 ? nil : UnsafeRawBufferPointer(start: start, count: count)
    }

    private func enter() {
        precondition(!isEntered, "nghttp2 was entered from one of its callbacks")
        isEntered = true
    }

    /// Whether nghttp2 neither expects nor wants to send anything: the connection is over.
    var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// The connection's send window; not positive when exhausted.
    var remoteWindow: Int {
        Int(nghttp2_session_get_remote_window_size(session))
    }

    /// The peer's MAX_CONCURRENT_STREAMS as last received.
    var remoteMaxConcurrentStreams: UInt32 {
        nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }

    // MARK: - Submitting

    /// Queues our SETTINGS.
    func submitSettings(_ settings: [(nghttp2_settings_id, UInt32)]) throws(HTTP2ConnectionFailure) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
        let result = nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
        guard result == 0 else { throw .broken(Self.text(result)) }
    }

    /// Sets the connection's receive window to `size` bytes, above the 65,535 of the protocol.
    func grantConnectionWindow(_ size: Int) {
        nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(clamping: size))
    }

    /// Sends window updates for received bytes, if nghttp2 does not do it automatically.
    func consume(stream: Int32, bytes: Int) {
        nghttp2_session_consume(session, stream, bytes)
    }

    /// Sends the window updates of the connection only: those of the stream follow with `consumeStream`.
    func consumeConnection(bytes: Int) { nghttp2_session_consume_connection(session, bytes) }

    /// Sends the window updates of the stream only.
    func consumeStream(_ stream: Int32, bytes: Int) { nghttp2_session_consume_stream(session, stream, bytes) }

    /// Queues a request.
    ///
    /// - Returns: The stream id, or `nil` when nghttp2 accepts no more requests.
    func submitRequest(_ fields: [nghttp2_nv], record: Int, hasBody: Bool) -> Int32? {
        let owner = UnsafeMutableRawPointer(bitPattern: record + 1)
        var provider = switchboard_nghttp2_body(UInt(record), Self.bodyReader)
        // No priority: PRIORITY is deprecated and ignored (RFC 9113 section 5.3).
        let stream = fields.withUnsafeBufferPointer { fields in
            hasBody
                ? nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, &provider, owner)
                : nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, nil, owner)
        }
        return stream > 0 ? stream : nil
    }

    /// Queues a response.
    ///
    /// - Returns: Whether nghttp2 accepted it.
    func submitResponse(_ fields: [nghttp2_nv], stream: Int32, record: Int, hasBody: Bool) -> Bool {
        var provider = switchboard_nghttp2_body(UInt(record), Self.bodyReader)
        let result = fields.withUnsafeBufferPointer { fields in
            hasBody
                ? nghttp2_submit_response(session, stream, fields.baseAddress, fields.count, &provider)
                : nghttp2_submit_response(session, stream, fields.baseAddress, fields.count, nil)
        }
        return result == 0
    }

    /// Queues an interim response (RFC 9110 section 15.2).
    func submitInterim(_ fields: [nghttp2_nv], stream: Int32) {
        _ = fields.withUnsafeBufferPointer { fields in
            nghttp2_submit_headers(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                stream,
                nil,
                fields.baseAddress,
                fields.count,
                nil
            )
        }
    }

    /// Continues with a body that had no bytes; does nothing for any other.
    func resume(stream: Int32) {
        nghttp2_session_resume_data(session, stream)
    }

    /// Queues RST_STREAM.
    func submitReset(stream: Int32, errorCode: UInt32) {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, errorCode)
    }

    /// Queues PING.
    func submitPing() {
        nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Queues GOAWAY; the session continues.
    func submitGoAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8]) {
        nghttp2_submit_goaway(
            session,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            lastStreamID,
            errorCode,
            debugData,
            debugData.count
        )
    }

    /// Queues the first of two GOAWAY, which names no stream: requests that are on their way are still accepted (RFC 9113
    /// section 6.8).
    func submitShutdownNotice() {
        nghttp2_submit_shutdown_notice(session)
    }

    /// Queues GOAWAY and ends the session once it is sent.
    func terminate(errorCode: UInt32) {
        nghttp2_session_terminate_session(session, errorCode)
    }

    /// The peer's highest stream id that was processed.
    var lastProcessedStreamID: Int32 {
        nghttp2_session_get_last_proc_stream_id(session)
    }

    // MARK: - Stream records

    /// Returns the record of a stream, if it still has one.
    func record(of stream: Int32) -> Int? {
        guard let owner = nghttp2_session_get_stream_user_data(session, stream) else { return nil }
        return Int(bitPattern: owner) - 1
    }

    /// Assigns a record to a stream.
    func setRecord(_ record: Int, of stream: Int32) {
        nghttp2_session_set_stream_user_data(session, stream, UnsafeMutableRawPointer(bitPattern: record + 1))
    }

    private static func text(_ code: Int32) -> String {
        nghttp2_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
