import NIOCore
import NIOEmbedded
import Telemetry
import Testing

@testable import GatewayHTTP

@Suite("The guard of a connection")
struct ConnectionGuardTests {
    @Test("closes on a head that arrives byte by byte, each well within the limit, when the whole takes longer")
    func tricklingHead() throws {
        let metrics = TestMetrics()
        let channel = EmbeddedChannel(
            handler: ConnectionGuard(
                limit: .seconds(30),
                start: .seconds(10),
                metrics: HTTPMetrics(factory: metrics.factory)
            )
        )
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        var seconds = 0
        while channel.isActive, seconds < 100 {
            try channel.writeInbound(ByteBuffer(string: "a"))
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            seconds += 1
        }
        #expect(seconds == 10)
        #expect(metrics.value(#"switchboard_http_cut_off_total{reason="slow_head"}"#) == 1)
    }

    @Test("closes when a TLS handshake is not complete in time, whether bytes arrive or not", arguments: [false, true])
    func stalledHandshake(isTrickling: Bool) throws {
        let metrics = TestMetrics()
        let channel = EmbeddedChannel(
            handler: ConnectionGuard(
                limit: .seconds(30),
                start: .seconds(10),
                isSecure: true,
                metrics: HTTPMetrics(factory: metrics.factory)
            )
        )
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        var seconds = 0
        while channel.isActive, seconds < 100 {
            if isTrickling { try channel.writeInbound(ByteBuffer(string: "a")) }
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            seconds += 1
        }
        #expect(seconds == 10)
        #expect(metrics.value(#"switchboard_http_cut_off_total{reason="slow_handshake"}"#) == 1)
    }

    @Test("leaves a connection open that is idle after its TLS handshake")
    func idleAfterHandshake() throws {
        let guarding = ConnectionGuard(
            limit: .seconds(30),
            start: .seconds(10),
            isSecure: true,
            metrics: HTTPMetrics(factory: TestMetrics().factory)
        )
        let channel = EmbeddedChannel(handler: guarding)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(ByteBuffer(string: "hello"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        guarding.watch.handshakeEnded()
        channel.embeddedEventLoop.advanceTime(by: .seconds(1000))
        #expect(channel.isActive)
    }
}
