internal import CNghttp2

/// A frame of HTTP/2 that a test writes and reads by itself (RFC 9113 section 4.1).
package struct HTTP2Frame: Equatable, Sendable {
    /// The kind of a frame.
    package enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The number of its kind; any for an unknown one.
    package var type: UInt8
    /// The flags.
    package var flags: UInt8
    /// The stream; 0 is the connection.
    package var stream: UInt32
    /// The payload.
    package var payload: [UInt8]

    /// Creates a frame.
    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// Creates a frame of a known kind.
    package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload)
    }

    /// END_STREAM; ACK of SETTINGS and PING.
    package static let end: UInt8 = 0x1
    /// END_HEADERS.
    package static let endHeaders: UInt8 = 0x4

    /// The first bytes of a client, without its SETTINGS.
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// The bytes with which a client without wishes begins.
    package static let opening = preface + HTTP2Frame(.settings).bytes

    /// The kind, if it is known.
    package var kind: Kind? { Kind(rawValue: type) }

    /// Whether it is the last one of its stream's side.
    package var isEnd: Bool { (kind == .data || kind == .headers) && flags & Self.end != 0 }

    /// The bytes of the frame.
    package var bytes: [UInt8] {
        let header = Self.number(UInt32(payload.count)).dropFirst() + [type, flags] + Self.number(stream)
        return header + payload
    }

    /// Returns a number in network byte order.
    package static func number(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Returns the number that begins at a place of the payload; 0 when it is missing.
    package func number(at place: Int) -> UInt32 {
        guard payload.count >= place + 4 else { return 0 }
        return payload[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The length of the payload that nine bytes of a header announce.
    package static func length(_ header: some Sequence<UInt8>) -> Int {
        header.prefix(3).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Creates a frame from the nine bytes of its header and its payload.
    package init(header: [UInt8], payload: [UInt8]) {
        let stream = header[5..<9].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        self.init(type: header[3], flags: header[4], stream: stream, payload)
    }

    /// Reads all frames of complete bytes.
    package static func all(in bytes: [UInt8]) -> [HTTP2Frame] {
        var (rest, frames) = (bytes[...], [HTTP2Frame]())
        while rest.count >= 9 {
            let header = Array(rest.prefix(9))
            let end = rest.startIndex + 9 + length(header)
            guard end <= rest.endIndex else { break }
            frames.append(HTTP2Frame(header: header, payload: Array(rest[(rest.startIndex + 9)..<end])))
            rest = rest[end...]
        }
        return frames
    }

    /// Returns fields as literals that are neither indexed nor compressed (RFC 7541 section 6.2.2).
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        func text(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8)
            guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
            // RFC 7541 section 5.1.
            var (rest, length) = (bytes.count - 127, [UInt8(127)])
            while rest >= 128 {
                length.append(UInt8(rest % 128 + 128))
                rest /= 128
            }
            return length + [UInt8(rest)] + bytes
        }
        return fields.flatMap { [0] + text($0.0) + text($0.1) }
    }

    /// Returns the head of a request.
    package static func request(
        _ stream: UInt32,
        _ method: String = "GET",
        _ path: String = "/livez",
        _ fields: [(String, String)] = [],
        isLast: Bool = true
    ) -> HTTP2Frame {
        let pseudo = [(":method", method), (":scheme", "http"), (":authority", "h"), (":path", path)]
        return HTTP2Frame(
            .headers,
            flags: endHeaders | (isLast ? end : 0),
            stream: stream,
            block(pseudo + fields)
        )
    }
}

/// Reads the header blocks of one connection, in order.
///
/// For one thread at a time.
package final class HTTP2BlockReader {
    private var inflater: OpaquePointer?

    /// Creates a reader with an empty table.
    package init() { nghttp2_hd_inflate_new(&inflater) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// Returns the fields of a complete block; nil when it is invalid.
    package func fields(of block: [UInt8]) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        var rest = block[...]
        while true {
            var (field, flags) = (nghttp2_nv(), Int32(0))
            let count = rest.withUnsafeBufferPointer { bytes in
                nghttp2_hd_inflate_hd2(inflater, &field, &flags, bytes.baseAddress, bytes.count, 1)
            }
            guard count >= 0 else { return nil }
            rest = rest.dropFirst(count)
            if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                fields.append(
                    (
                        String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self),
                        String(decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self)
                    )
                )
            }
            if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
            if count == 0, UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue == 0 { return nil }
        }
    }
}
