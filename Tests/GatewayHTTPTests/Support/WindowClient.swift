import Foundation
import Synchronization
import Testing

/// A client of a messaging window that sends exactly the bytes of a test, including invalid ones.
final class WindowClient: Sendable {
    /// A received frame.
    struct Frame: Equatable {
        var opcode: UInt8
        var payload: [UInt8]

        /// The code and the reason of a close frame: `4401 token_missing`.
        var close: String? {
            guard opcode == 8 else { return nil }
            guard payload.count >= 2 else { return "none" }
            let code = Int(payload[0]) << 8 | Int(payload[1])
            return "\(code) \(String(decoding: payload.dropFirst(2), as: UTF8.self))"
        }
    }

    /// The head of the response to the request.
    let response: String
    private let socket: RawClient

    /// Opens a window, on its own or an existing connection; the response is in ``response``.
    init(
        port: Int,
        on connection: RawClient? = nil,
        path: String = "/v1/brands/acme/window",
        as credential: Credential = .none,
        headers: [String] = [],
        key: String = "dGhlIHNhbXBsZSBub25jZQ==",
        version: String = "13",
        with more: [UInt8] = []
    ) async throws {
        socket = try connection ?? RawClient(port: port)
        var lines = ["GET \(path) HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade"]
        lines += ["Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: \(version)"] + headers
        if let header = credential.header { lines.append("Authorization: \(header)") }
        socket.send(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + more)
        response = await socket.readHead()
    }

    /// Sends a text message.
    func say(_ text: String) { socket.send(bytes: Self.frame(1, Array(text.utf8))) }

    /// Sends bytes.
    func send(_ bytes: [UInt8]) { socket.send(bytes: bytes) }

    /// Ends writing of the connection.
    func endOfInput() { socket.endOfInput() }

    /// Encodes a frame as bytes.
    static func frame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, masked: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = [opcode | (fin ? 0x80 : 0)]
        let mask: UInt8 = masked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(mask | UInt8(payload.count))
        case ..<65_536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [mask | 127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
        }
        guard masked else { return bytes + payload }
        let key: [UInt8] = [0x11, 0x22, 0x33, 0x44]
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// Reads the next frame; nil at the end of the connection.
    func next() async -> Frame? {
        guard let head = await socket.read(bytes: 2) else { return nil }
        var length = Int(head[1] & 0x7F)
        if length >= 126 {
            guard let more = await socket.read(bytes: length == 126 ? 2 : 8) else { return nil }
            length = more.reduce(0) { $0 << 8 | Int($1) }
        }
        let payload = length == 0 ? [] : await socket.read(bytes: length)
        return payload.map { Frame(opcode: head[0] & 0x0F, payload: $0) }
    }

    /// Reads the next frame of JSON; skips pings, and responds to them if requested.
    func receive(answeringPings: Bool = false) async throws -> JSON {
        while let frame = await next() {
            if frame.opcode == 9 {
                if answeringPings { send(Self.frame(10, frame.payload)) }
                continue
            }
            try #require(frame.opcode == 1, "\(frame.close ?? "\(frame.opcode)")")
            return try JSON(String(decoding: frame.payload, as: UTF8.self))
        }
        throw WindowEnded()
    }

    /// Reads up to the close frame; nil when the connection ends without one.
    func end(answeringPings: Bool = false) async -> String? {
        while let frame = await next() {
            if let close = frame.close { return close }
            if answeringPings, frame.opcode == 9 { send(Self.frame(10, frame.payload)) }
        }
        return nil
    }

    private struct WindowEnded: Error {}
}
