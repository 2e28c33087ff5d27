import Foundation
import NIOCore

/// A minimal client side of one WebSocket connection; confined to its event loop.
///
/// It accepts any 101 response, responds to pings, and passes on text messages; servers neither mask nor fragment
/// frames here.
final class WindowConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Called with each text message.
    var onText: (ByteBuffer) -> Void = { _ in }
    /// Called when the connection is a WebSocket.
    var onOpen: () -> Void = {}
    /// Called once when the connection ends.
    var onEnd: () -> Void = {}
    /// Called with each ping.
    var onPing: () -> Void = {}

    private let path: String
    private let token: String?
    private var context: ChannelHandlerContext?
    private var received = ByteBuffer()
    private var isUpgraded = false

    init(path: String, token: String?) {
        self.path = path
        self.token = token
    }

    // MARK: Sending

    /// Sends a text message.
    func say(_ text: String) { send(opcode: 1, Array(text.utf8)) }

    /// Sends a close frame, and closes when the other side has responded.
    func close() { send(opcode: 8, [0x03, 0xE8]) }

    /// Closes the connection without a close frame.
    func cut() { context?.close(promise: nil) }

    private func send(opcode: UInt8, _ payload: [UInt8]) {
        guard let context else { return }
        var frame = context.channel.allocator.buffer(capacity: payload.count + 8)
        frame.writeInteger(0x80 | opcode)
        if payload.count < 126 {
            frame.writeInteger(0x80 | UInt8(payload.count))
        } else {
            frame.writeInteger(0x80 | UInt8(126))
            frame.writeInteger(UInt16(payload.count))
        }
        // A mask of zeros is a mask (RFC 6455 section 5.3).
        frame.writeInteger(UInt32(0))
        frame.writeBytes(payload)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    // MARK: Receiving

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelActive(context: ChannelHandlerContext) {
        var head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head + "\r\n")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
        if !isUpgraded {
            guard let end = received.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            let head = received.readString(length: end.upperBound - received.readerIndex) ?? ""
            guard head.hasPrefix("HTTP/1.1 101 ") else { return context.close(promise: nil) }
            isUpgraded = true
            onOpen()
        }
        while readFrame() {}
        if received.readableBytes == 0 { received = ByteBuffer() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        onEnd()
        (onText, onOpen, onEnd, onPing) = ({ _ in }, {}, {}, {})
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func readFrame() -> Bool {
        let start = received.readerIndex
        guard let opcode = received.getInteger(at: start, as: UInt8.self),
            let short = received.getInteger(at: start + 1, as: UInt8.self)
        else { return false }
        var (length, head) = (Int(short), 2)
        if short == 126 {
            guard let long = received.getInteger(at: start + 2, as: UInt16.self) else { return false }
            (length, head) = (Int(long), 4)
        } else if short > 126 {
            context?.close(promise: nil)
            return false
        }
        guard received.readableBytes >= head + length else { return false }
        received.moveReaderIndex(forwardBy: head)
        guard let payload = received.readSlice(length: length) else { return false }
        switch opcode & 0x0F {
        case 1: onText(payload)
        case 8: context?.close(promise: nil)
        case 9:
            onPing()
            send(opcode: 10, Array(payload.readableBytesView))
        default: break
        }
        return true
    }
}
