internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1

/// Decodes the requests of a connection, also those that follow one with a foreign `Upgrade`.
///
/// SwiftNIO's decoder takes all that follows such a request for the other protocol. Confined to the connection's event
/// loop.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private var current = RequestDecoder.make()
    /// Set with the end of a request whose `Upgrade` is ignored: the next bytes are a request.
    var mustRestart = false

    private static func make() -> HTTPRequestDecoder {
        // Hummingbird's own limits for heads.
        let limits = HTTP1Channel.Configuration().httpDecoder
        var configuration = NIOHTTPDecoderLimitConfiguration()
        configuration.maxHeaderFieldSize = limits.maxHeaderFieldSize
        configuration.maxHeaderListSize = limits.maxHeaderListSize
        configuration.maxHeaderFieldCount = limits.maxHeaderFieldCount
        return HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: configuration)
    }

    func decoderAdded(context: ChannelHandlerContext) { current.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { current.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let state = try current.decode(context: context, buffer: &buffer)
        guard mustRestart else { return state }
        mustRestart = false
        current.decoderRemoved(context: context)
        current = Self.make()
        current.decoderAdded(context: context)
        // With the bytes that the old one has left in the buffer.
        return .continue
    }

    func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        try current.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }
}
