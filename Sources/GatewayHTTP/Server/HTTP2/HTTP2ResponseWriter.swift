internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Writes a response to its stream: one that is a single piece with one hop to the event loop.
struct HTTP2ResponseWriter: ResponseBodyWriter, Sendable {
    private let exchange: HTTP2Exchange
    /// The head until it is sent.
    private var head: HTTPResponse?
    /// The length of the body; nil if it is not known.
    private let length: Int?
    /// The whole body, which is sent with its end.
    private var whole: ByteBuffer?

    init(exchange: HTTP2Exchange, head: HTTPResponse, length: Int?) {
        self.exchange = exchange
        self.head = head
        self.length = length
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        if head != nil, buffer.readableBytes == length {
            whole = buffer
        } else {
            let head = head
            self.head = nil
            try await exchange.send(head, buffer)
        }
    }

    consuming func finish(_: HTTPFields?) async throws { exchange.finish(head, whole) }
}
