import HummingbirdTesting
import TestSupport
import Testing

/// A client of HTTP/2 that sends arbitrary frames on its own socket; for one task at a time.
final class HTTP2Client {
    /// A response, and how its stream ended.
    struct Response {
        var status = ""
        var headers: [String: String] = [:]
        var body = ""
        /// The error code of RST_STREAM; nil for a stream that ended with the response.
        var resetCode: UInt32?
    }

    let socket: RawClient
    private let reader = HTTP2BlockReader()
    /// Frames that were read while others were waited for, with the fields of their header blocks.
    private var received: [(frame: HTTP2Frame, fields: [(name: String, value: String)])] = []

    /// Connects and sends the preface and SETTINGS, with a payload if it has any.
    init(_ api: API, settings: [UInt8] = [], from lastByte: UInt32 = 1) throws {
        socket = try RawClient(port: try #require(api.client.port), from: lastByte)
        socket.send(bytes: HTTP2Frame.preface + HTTP2Frame(.settings, settings).bytes)
    }

    /// The credential of the administrator.
    static let admin = ("authorization", "Bearer \(TestGateway.adminToken)")

    func send(_ frames: HTTP2Frame...) { socket.send(bytes: frames.flatMap(\.bytes)) }

    /// Sends a request with the credential of the administrator.
    func request(
        _ stream: UInt32,
        _ method: String = "GET",
        _ path: String,
        _ fields: [(String, String)] = [],
        body: String? = nil
    ) {
        let fields = [Self.admin, ("content-type", "application/json")] + fields
        send(.request(stream, method, path, fields, isLast: body == nil))
        if let body { send(HTTP2Frame(.data, flags: HTTP2Frame.end, stream: stream, Array(body.utf8))) }
    }

    /// Returns the next frame of one kind, also one that was read before; nil at the end of the connection.
    func next(_ kind: HTTP2Frame.Kind, stream: UInt32? = nil) async -> HTTP2Frame? {
        await take { $0.kind == kind && (stream == nil || $0.stream == stream) }?.frame
    }

    /// Returns the fields of the next header block on a stream; nil at the end of the connection.
    func head(_ stream: UInt32) async -> [String: String]? {
        let block = await take { $0.stream == stream && $0.kind == .headers }
        return block.map { Dictionary($0.fields.map { ($0.name, $0.value) }) { $1 } }
    }

    /// Returns the response on a stream; nil when the connection ends before it.
    func response(_ stream: UInt32) async -> Response? {
        var response = Response()
        while let (frame, fields) = await take({ $0.stream == stream && $0.kind != .windowUpdate }) {
            switch frame.kind {
            case .headers:
                response.status = fields.first { $0.name == ":status" }?.value ?? ""
                response.headers = Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
            case .reset: response.resetCode = frame.number(at: 0)
            default: response.body += String(decoding: frame.payload, as: UTF8.self)
            }
            if frame.isEnd || frame.kind == .reset { return response }
        }
        return nil
    }

    /// Returns the next frame that is wanted, with the fields of its header block; nil at the end of the connection.
    func take(
        _ isWanted: (HTTP2Frame) -> Bool
    ) async -> (frame: HTTP2Frame, fields: [(name: String, value: String)])? {
        if let place = received.firstIndex(where: { isWanted($0.frame) }) { return received.remove(at: place) }
        while let header = await socket.read(bytes: 9) {
            let length = HTTP2Frame.length(header)
            guard let payload = length > 0 ? await socket.read(bytes: length) : [] else { return nil }
            let frame = HTTP2Frame(header: header, payload: payload)
            // Blocks are read in the order of the connection: they share a table.
            let fields = frame.kind == .headers ? reader.fields(of: payload) ?? [] : []
            if isWanted(frame) { return (frame, fields) }
            received.append((frame, fields))
        }
        return nil
    }
}
