import COpenSSL
import NIOCore
import NIOEmbedded
import Testing

@testable import TLS

@Suite("TLS of a listener")
struct TLSServerHandlerTests {
    /// Records what passes the handler.
    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private(set) var text = ""
        private(set) var events: [String] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .established(let chosen) = event as? TLSEvent {
                events.append("established \(chosen)")
            } else {
                events.append("\(event)")
            }
        }
    }

    private let context: TLSServerContext

    init() throws {
        context = try TLSServerContext(identity: try TestAuthority().issue(), applicationProtocols: [.http1])
    }

    /// Accepts a connection, and records what passes the handler.
    private func accept() throws -> (EmbeddedChannel, Recorder) {
        let (channel, recorder) = (EmbeddedChannel(), Recorder())
        try context.secure(channel) { ByteBuffer(string: "no TLS") }
        try channel.pipeline.syncOperations.addHandler(recorder)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, recorder)
    }

    @Test(
        "bytes pass in both directions, and each side's close_notify passes, with ALPN and without",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION],
        [["http/1.1"], ["h2", "http/1.1"], []]
    )
    func bothDirections(version: Int32, protocols: [String]) throws {
        let (channel, recorder) = try accept()
        let client = try TestTLSClient(version: version, protocols: protocols)
        try client.exchange(channel)
        #expect(client.isEstablished && recorder.events == ["established http1"])
        #expect(client.chosen == (protocols.isEmpty ? nil : "http/1.1"))
        client.write("ping")
        try client.exchange(channel)
        #expect(recorder.text == "ping")
        try channel.writeOutbound(ByteBuffer(string: "pong"))
        try client.exchange(channel)
        #expect(client.read() == "pong")
        client.close()
        try client.exchange(channel)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(recorder.events == ["established http1", "inputClosed"])
        // A response may follow the end of the requests.
        try channel.writeOutbound(ByteBuffer(string: "late"))
        try client.exchange(channel)
        #expect(client.read() == "late" && !client.isClosedByServer)
        channel.close(promise: nil)
        try client.exchange(channel)
        #expect(client.read().isEmpty && client.isClosedByServer && !channel.isActive)
    }

    @Test("small writes of one flush share a record, long ones are cut, and their promises are fulfilled in order")
    func records() throws {
        let (channel, _) = try accept()
        let client = try TestTLSClient()
        try client.exchange(channel)
        var done: [Int] = []
        for number in 0..<3 {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenSuccess { done.append(number) }
            channel.write(ByteBuffer(string: "\(number)"), promise: promise)
        }
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        channel.flush()
        #expect(done == [0, 1, 2])
        let small = try client.exchange(channel)
        #expect(client.read() == "012")
        // The header of a record, the text, its type, and the tag.
        #expect(small.count == 5 + 3 + 1 + 16)
        let long = String(repeating: "x", count: 100_000)
        try channel.writeOutbound(ByteBuffer(string: long))
        try client.exchange(channel)
        #expect(client.read() == long)
    }

    @Test("a client of TLS 1.1, or one that offers HTTP/2 only, gets an alert and is closed")
    func refused() throws {
        for client in [try TestTLSClient(version: TLS1_1_VERSION), try TestTLSClient(protocols: ["h2"])] {
            let (channel, _) = try accept()
            let received = try client.exchange(channel)
            // The type of an alert (RFC 8446 section 5.1).
            #expect(received.first == 21)
            #expect(!client.isEstablished && !channel.isActive)
        }
    }

    @Test(
        "a peer may ask for new keys, and is closed when it asks too often",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION],
        [(16_384, true), (16, false)] as [(bytes: Int, stays: Bool)]
    )
    func newKeys(version: Int32, limit: (bytes: Int, stays: Bool)) throws {
        let channel = EmbeddedChannel()
        let session = try TLSSession(server: context)
        let handler = TLSHandler(tls: session, maxReplyBytes: limit.bytes) { ByteBuffer() }
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let client = try TestTLSClient(version: version)
        try client.exchange(channel)
        // OpenSSL replies to the first update together with the second.
        var replies: [UInt8] = []
        for _ in 1...2 where channel.isActive { replies += try client.askForKeys(channel) }
        // The server refuses a new handshake by an alert.
        #expect(replies.first == (version == TLS1_2_VERSION ? 21 : 23))
        #expect(channel.isActive == limit.stays)
    }

    @Test("a text protocol gets the reply and is closed", arguments: ["GET / HTTP/1.1\r\n", "p"])
    func plaintext(request: String) throws {
        let (channel, recorder) = try accept()
        try channel.writeInbound(ByteBuffer(string: request))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "no TLS"))
        #expect(recorder.text.isEmpty && recorder.events.isEmpty && !channel.isActive)
    }

    @Test(
        "other bytes are closed without the reply",
        arguments: [[0], [22, 3, 1, 0, 4, 1, 2, 3, 4], [0xFF, 1, 2]] as [[UInt8]]
    )
    func garbage(bytes: [UInt8]) throws {
        let (channel, recorder) = try accept()
        // As many as a record's header, so that it is read.
        try channel.writeInbound(ByteBuffer(bytes: bytes + [UInt8](repeating: 0, count: 16)))
        let reply = try channel.readOutbound(as: ByteBuffer.self)
        #expect(reply != ByteBuffer(string: "no TLS"))
        #expect(recorder.text.isEmpty && recorder.events.isEmpty && !channel.isActive)
    }

    @Test("a client that ends its output during the handshake is closed")
    func halfOpen() throws {
        let (channel, recorder) = try accept()
        try channel.writeInbound(ByteBuffer(bytes: [22, 3, 1]))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(recorder.events.isEmpty && !channel.isActive)
    }

    @Test("a context has the times of its certificate")
    func validity() {
        // Issued for an hour before and after now.
        #expect((7199...7201).contains(context.validUntil - context.validFrom))
    }
}
