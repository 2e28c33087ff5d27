import TestSupport
import Testing

/// A messaging window on a stream of an HTTP/2 connection (RFC 8441); for one task at a time.
final class HTTP2Window {
    /// The head of the response to CONNECT.
    private(set) var head: [String: String] = [:]
    /// The error code of RST_STREAM before the end of the server's side; nil for a stream that was not reset.
    private(set) var resetCode: UInt32?
    private let client: HTTP2Client
    private let stream: UInt32
    private var bytes: [UInt8] = []
    private var isEnded = false

    /// Opens a window; the response is in ``head``.
    init(
        _ client: HTTP2Client,
        _ stream: UInt32,
        path: String = "/v1/brands/acme/window",
        as credential: Credential = .none,
        _ fields: [(String, String)] = []
    ) async throws {
        self.client = client
        self.stream = stream
        let token = credential.header.map { [("authorization", $0)] } ?? []
        client.send(.connect(stream, path, token + fields))
        head = try #require(await client.head(stream))
    }

    /// Sends a text message.
    func say(_ text: String) { send(WindowClient.frame(1, Array(text.utf8))) }

    /// Sends bytes, in frames of the largest size that is allowed.
    func send(_ bytes: [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            client.send(HTTP2Frame(.data, stream: stream, Array(bytes[start..<min(start + 16_384, bytes.count)])))
        }
    }

    /// Ends this side of the stream.
    func endOfInput() { client.send(HTTP2Frame(.data, flags: HTTP2Frame.end, stream: stream)) }

    /// Resets the stream with CANCEL.
    func reset() { client.send(HTTP2Frame(.reset, stream: stream, HTTP2Frame.number(8))) }

    /// Lets the server send more bytes.
    func grant(_ bytes: UInt32) { client.send(HTTP2Frame(.windowUpdate, stream: stream, HTTP2Frame.number(bytes))) }

    /// Reads the next frame; nil at the end of the stream.
    func next() async -> WindowClient.Frame? {
        while true {
            if let frame = takeFrame() { return frame }
            guard !isEnded else { return nil }
            let part = await client.take { [stream] in
                $0.stream == stream && ($0.kind == .data || $0.kind == .reset)
            }?.frame
            guard let part else { return nil }
            isEnded = part.isEnd || part.kind == .reset
            if part.kind == .reset { resetCode = part.number(at: 0) } else { bytes += part.payload }
        }
    }

    private func takeFrame() -> WindowClient.Frame? {
        guard bytes.count >= 2 else { return nil }
        var (length, start) = (Int(bytes[1] & 0x7F), 2)
        if length >= 126 {
            start = length == 126 ? 4 : 10
            guard bytes.count >= start else { return nil }
            length = bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
        }
        guard bytes.count >= start + length else { return nil }
        defer { bytes.removeFirst(start + length) }
        return WindowClient.Frame(opcode: bytes[0] & 0x0F, payload: Array(bytes[start..<start + length]))
    }

    /// Reads the next frame of JSON; skips pings.
    func receive() async throws -> JSON {
        while let frame = await next() {
            if frame.opcode == 9 { continue }
            try #require(frame.opcode == 1, "\(frame.close ?? "\(frame.opcode)")")
            return try JSON(String(decoding: frame.payload, as: UTF8.self))
        }
        throw TestFailure("the window has ended")
    }

    /// Reads up to the close frame; nil when the stream ends without one.
    func end() async -> String? {
        while let frame = await next() { if let close = frame.close { return close } }
        return nil
    }
}

extension HTTP2Frame {
    /// Returns an extended CONNECT for WebSocket, of version 13 unless a version is given.
    static func connect(
        _ stream: UInt32,
        _ path: String = "/v1/brands/acme/window",
        _ fields: [(String, String)] = [],
        version: String? = "13"
    ) -> HTTP2Frame {
        let protocols = [(":protocol", "websocket")] + (version.map { [("sec-websocket-version", $0)] } ?? [])
        return .request(stream, "CONNECT", path, protocols + fields, isLast: false)
    }
}
