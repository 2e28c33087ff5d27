internal import NIOCore
internal import TLS

/// Determines the version of HTTP of a connection by ALPN, or without TLS by the preface of HTTP/2 (RFC 9113 section 3.4).
///
/// It is before the handlers of HTTP/1.1 and removes itself. Confined to the connection's event loop.
final class HTTPVersionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let isSecure: Bool
    /// Adds the handler of HTTP/2 after this one, in place of those of HTTP/1.1.
    var becomeHTTP2: (HTTPVersionHandler) throws -> Void = { _ in }
    /// The beginning of the preface.
    private var held = ByteBuffer()

    init(isSecure: Bool) { self.isSecure = isSecure }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        held.writeBuffer(&bytes)
        guard held.readableBytesView.starts(with: Self.preface) else {
            // With TLS it was removed after the handshake.
            if isSecure || !Self.preface.starts(with: held.readableBytesView) { decide(context, isHTTP2: false) }
            return
        }
        decide(context, isHTTP2: true)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Its deadline is that of the handlers of HTTP/1.1, which also report the end of the handshake.
        if !(event is TLSEvent) { forward(context) }
        context.fireUserInboundEventTriggered(event)
        if case .established(let version) = event as? TLSEvent { decide(context, isHTTP2: version == .http2) }
    }

    private func decide(_ context: ChannelHandlerContext, isHTTP2: Bool) {
        do {
            if isHTTP2 { try becomeHTTP2(self) }
            forward(context)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    private func forward(_ context: ChannelHandlerContext) {
        guard held.readableBytes > 0 else { return }
        let bytes = held
        held = ByteBuffer()
        context.fireChannelRead(Self.wrapInboundOut(bytes))
    }
}
