import HTTPTypes
import NIOCore
import NIOEmbedded
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A connection of HTTP/2")
struct HTTP2ConnectionTests {
    @Test("a late response comes instead of 408 when nothing waits for the body; the rest of the request is not needed")
    func lateResponse() throws {
        let metrics = HTTPMetrics(factory: TestMetrics().factory)
        let channel = EmbeddedChannel()
        let guarding = ConnectionGuard(limit: .seconds(30), start: .seconds(10), metrics: metrics)
        let connection = HTTP2Connection(
            channel: channel,
            address: nil,
            slots: SharedSlots(limit: 10, perAddress: 10),
            surplus: nil,
            connection: guarding,
            limits: ServerLimits(requestTimeout: .seconds(30), startTimeout: .seconds(10)),
            windows: nil,
            events: nil,
            metrics: metrics
        )
        try channel.pipeline.syncOperations.addHandlers(guarding, connection.makeHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        func sent() throws -> [HTTP2Frame] {
            var bytes: [UInt8] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
            return HTTP2Frame.all(in: bytes).filter { $0.stream == 1 }
        }

        let request = HTTP2Frame.request(1, "POST", "/v1/brands/acme/events", isLast: false)
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Frame.opening + request.bytes))
        channel.embeddedEventLoop.advanceTime(by: .seconds(100))
        #expect(try sent().isEmpty)
        connection.finish(HTTPResponse(status: .contentTooLarge), ByteBuffer(string: "too long"), stream: 1)
        channel.embeddedEventLoop.run()
        let response = try sent()
        #expect(response.map(\.kind) == [.headers, .data] && response.last?.isEnd == true)
        let fields = HTTP2BlockReader().fields(of: response.first?.payload ?? [])
        #expect(fields?.first { $0.name == ":status" }?.value == "413")
        // RFC 9113 section 8.1.
        channel.embeddedEventLoop.advanceTime(by: .seconds(20))
        let end = try sent()
        #expect(end.map(\.kind) == [.reset] && end.first?.number(at: 0) == 0)
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}
