/// An HTTP/2 error code of RST_STREAM and GOAWAY (RFC 9113 section 7).
///
/// Unknown codes stay representable.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code on the wire.
    package var rawValue: UInt32

    /// Creates an error code from any number.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Graceful end.
    package static let noError = HTTP2ErrorCode(rawValue: 0x0)
    /// The peer violated the protocol.
    package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    /// The peer had an internal error.
    package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    /// Refused before any processing.
    package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    /// No longer wanted.
    package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    /// Too much load from the peer.
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
}

extension HTTP2ErrorCode: CustomStringConvertible {
    /// The name of RFC 9113 section 7, or the number.
    package var description: String {
        let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
            "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
        ]
        return Int(rawValue) < names.count ? names[Int(rawValue)] : "error \(rawValue)"
    }
}
