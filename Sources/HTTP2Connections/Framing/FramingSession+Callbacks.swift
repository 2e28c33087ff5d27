internal import CNghttp2

extension FramingSession {
    /// Installs the nghttp2 callbacks, which call the owning session.
    static func install(in callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, owner in
            guard let frame, let framing = FramingSession.from(owner) else { return 0 }
            framing.beganHeaders(
                stream: switchboard_nghttp2_stream_id(frame),
                isRequest: switchboard_nghttp2_is_request(frame) != 0
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameLength,
            value,
            valueLength,
            _,
            owner in
            guard let frame, let framing = FramingSession.from(owner) else { return 0 }
            framing.receivedHeader(
                stream: switchboard_nghttp2_stream_id(frame),
                name: UnsafeBufferPointer(start: name, count: nameLength),
                value: UnsafeBufferPointer(start: value, count: valueLength)
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, length, owner in
            guard let framing = FramingSession.from(owner) else { return 0 }
            framing.receivedData(stream: stream, UnsafeBufferPointer(start: data, count: length))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
            guard let frame, let framing = FramingSession.from(owner) else { return 0 }
            framing.received(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, owner in
            guard let frame, let framing = FramingSession.from(owner) else { return 0 }
            framing.sent(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, owner in
            guard let frame, let framing = FramingSession.from(owner) else { return 0 }
            if UInt32(switchboard_nghttp2_type(frame)) == NGHTTP2_HEADERS.rawValue {
                framing.didNotSendHeaders(stream: switchboard_nghttp2_stream_id(frame))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, errorCode, owner in
            guard let framing = FramingSession.from(owner) else { return 0 }
            framing.closed(stream: stream, errorCode: errorCode)
            return 0
        }
    }

    /// Feeds bodies to nghttp2.
    static var bodyReader: nghttp2_data_source_read_callback {
        { _, stream, buffer, length, flags, source, owner in
            guard let source, let flags, let framing = FramingSession.from(owner),
                let (count, isLast) = framing.readBody(
                    record: Int(switchboard_nghttp2_body_record(source)),
                    stream: stream,
                    into: UnsafeMutableBufferPointer(start: buffer, count: length)
                )
            else {
                // The record belongs to another stream by now: reset this one, not the connection.
                return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
            if isLast {
                flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            } else if count == 0 {
                return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            }
            return count
        }
    }

    private static func from(_ owner: UnsafeMutableRawPointer?) -> FramingSession? {
        guard let owner else { return nil }
        return Unmanaged<FramingSession>.fromOpaque(owner).takeUnretainedValue()
    }

    private func sent(_ frame: UnsafePointer<nghttp2_frame>) {
        let stream = switchboard_nghttp2_stream_id(frame)
        switch UInt32(switchboard_nghttp2_type(frame)) {
        case NGHTTP2_HEADERS.rawValue: sentHeaders(stream: stream)
        case NGHTTP2_DATA.rawValue: sentData(stream: stream, bytes: switchboard_nghttp2_length(frame))
        case NGHTTP2_RST_STREAM.rawValue: return sentReset(stream: stream)
        default: return
        }
        if UInt32(switchboard_nghttp2_flags(frame)) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 { sentEnd(stream: stream) }
    }

    private func received(_ frame: UnsafePointer<nghttp2_frame>) {
        let flags = UInt32(switchboard_nghttp2_flags(frame))
        switch UInt32(switchboard_nghttp2_type(frame)) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            let isLast = flags & NGHTTP2_FLAG_END_STREAM.rawValue != 0
            if switchboard_nghttp2_is_request(frame) != 0 {
                receivedHead(stream: switchboard_nghttp2_stream_id(frame), isLast: isLast)
            }
            if isLast { receivedEnd(stream: switchboard_nghttp2_stream_id(frame)) }
        case NGHTTP2_SETTINGS.rawValue:
            if flags & NGHTTP2_FLAG_ACK.rawValue == 0 { receivedSettings() }
        case NGHTTP2_PING.rawValue:
            if flags & NGHTTP2_FLAG_ACK.rawValue != 0 { receivedPingAck() }
        case NGHTTP2_GOAWAY.rawValue:
            receivedGoAway(
                lastStreamID: switchboard_nghttp2_goaway_last_stream_id(frame),
                errorCode: switchboard_nghttp2_goaway_error_code(frame),
                debugData: UnsafeBufferPointer(
                    start: switchboard_nghttp2_goaway_data(frame),
                    count: switchboard_nghttp2_goaway_data_length(frame)
                )
            )
        default:
            break
        }
    }
}
