import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import ProcessHarness
import SwitchboardClient
import TLS
import Testing

@testable import SwitchboardClientLinux

@Suite("Window transport over NIO", .timeLimit(.minutes(5)))
struct NIOWindowTransportTests {
    /// A WebSocket server on loopback: it greets, echoes texts in two fragments, and closes or floods on request.
    private final class Peer: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        private let greeting: String

        init(greeting: String) { self.greeting = greeting }

        func handlerAdded(context: ChannelHandlerContext) { send(greeting, context) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = Self.unwrapInboundIn(data)
            switch frame.opcode {
            case .text:
                let text = String(buffer: frame.unmaskedData)
                switch text {
                case "close":
                    var reason = ByteBuffer(integer: UInt16(4401))
                    reason.writeString("token_expired")
                    write(.connectionClose, reason, context)
                case "flood": send(String(repeating: "x", count: 70_000), context)
                case "ping": write(.ping, ByteBuffer(string: "p"), context)
                default:
                    let half = text.utf8.count / 2
                    var whole = ByteBuffer(string: text)
                    if let first = whole.readSlice(length: half) { write(.text, first, context, isLast: false) }
                    write(.continuation, whole, context)
                }
            case .ping: write(.pong, frame.unmaskedData, context)
            case .pong: send("pong \(String(buffer: frame.unmaskedData)) \(frame.maskKey != nil)", context)
            case .connectionClose: context.close(promise: nil)
            default: break
            }
        }

        private func send(_ text: String, _ context: ChannelHandlerContext) {
            write(.text, ByteBuffer(string: text), context)
        }

        private func write(
            _ opcode: WebSocketOpcode,
            _ data: ByteBuffer,
            _ context: ChannelHandlerContext,
            isLast: Bool = true
        ) {
            let frame = WebSocketFrame(fin: isLast, opcode: opcode, data: data)
            context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
        }
    }

    /// A server that does not upgrade.
    private final class Refusal: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let response = ByteBuffer(string: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            context.writeAndFlush(Self.wrapOutboundOut(response), promise: nil)
        }
    }

    /// Starts a server that upgrades each request, over TLS if it has a certificate.
    private func start(_ tls: TLSServerContext? = nil) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try tls?.secure(channel) { ByteBuffer() }
                    let upgrader = NIOWebSocketServerUpgrader(
                        maxFrameSize: 1 << 17,
                        shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
                        upgradePipelineHandler: { channel, head in
                            channel.eventLoop.makeCompletedFuture {
                                let token = head.headers.first(name: "Authorization") ?? ""
                                let peer = Peer(greeting: head.uri + " " + token)
                                try channel.pipeline.syncOperations.addHandler(peer)
                            }
                        }
                    )
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private func request(
        _ server: any Channel,
        scheme: String = "http",
        host: String = "127.0.0.1"
    ) throws -> HTTPRequest {
        let port = try #require(server.localAddress?.port)
        let url = try #require(URL(string: "\(scheme)://\(host):\(port)/v1/brands/acme/window?deviceId=a%2Fb"))
        return HTTPRequest(method: "GET", url: url, headers: ["Authorization": "Bearer t"], timeout: .seconds(60))
    }

    @Test("messages, fragments, pings and the close frame of a gateway go through, masked")
    func through() async throws {
        let server = try await start()
        let connection = try await NIOWindowTransport().open(try request(server))
        #expect(try await connection.receive() == .text("/v1/brands/acme/window?deviceId=a%2Fb Bearer t"))
        connection.send("hello")
        #expect(try await connection.receive() == .text("hello"))
        let long = String(repeating: "é", count: 30_000)
        connection.send(long)
        #expect(try await connection.receive() == .text(long))
        try await connection.ping()
        connection.send("ping")
        #expect(try await connection.receive() == .text("pong p true"))
        connection.send("close")
        #expect(try await connection.receive() == .closed(code: 4401, reason: "token_expired"))
        await #expect(throws: (any Error).self) { try await connection.receive() }
        await #expect(throws: (any Error).self) { try await connection.ping() }
        try await server.close()
    }

    @Test("many messages that the client does not read yet all arrive, in order")
    func backlog() async throws {
        let server = try await start()
        let connection = try await NIOWindowTransport().open(try request(server))
        _ = try await connection.receive()
        for number in 0..<500 { connection.send("\(number) " + String(repeating: "x", count: 1000)) }
        for number in 0..<500 {
            guard case .text(let text) = try await connection.receive() else {
                Issue.record("closed")
                return
            }
            #expect(text.hasPrefix("\(number) "))
        }
        connection.close()
        await #expect(throws: (any Error).self) { try await connection.receive() }
        try await server.close()
    }

    @Test("a message of more than 64 KiB ends the connection")
    func tooBig() async throws {
        let server = try await start()
        let connection = try await NIOWindowTransport().open(try request(server))
        _ = try await connection.receive()
        connection.send("flood")
        await #expect(throws: (any Error).self) { try await connection.receive() }
        try await server.close()
    }

    @Test("a response that is no upgrade, a port where nobody listens, and TLS with a server that has none are errors")
    func refused() async throws {
        let server = try await start()
        let transport = NIOWindowTransport()
        let other = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Refusal()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let refused = try request(other)
        await #expect(throws: SwitchboardError.self) { try await transport.open(refused) }
        try await other.close()
        let secure = try request(server, scheme: "https")
        await #expect(throws: (any Error).self) { try await transport.open(secure) }
        let late = try request(server)
        try await server.close()
        await #expect(throws: (any Error).self) { try await transport.open(late) }
    }

    @Test("over TLS, with the name or the address of the certificate and a trusted authority only")
    func secure() async throws {
        let directory = try TemporaryDirectory()
        let script = """
            set -e; cd \(directory.path(""))
            K="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
            openssl req -x509 $K -keyout ca.key -out ca.pem -subj /CN=ours -addext keyUsage=critical,keyCertSign 2>/dev/null
            for name in DNS:localhost IP:127.0.0.1; do
              openssl req $K -keyout $name.key -out $name.csr -subj /CN=server 2>/dev/null
              echo "subjectAltName=$name" > $name.ext
              openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $name.ext \
                -out $name.pem 2>/dev/null
            done
            """
        #expect(try await ChildProcess("/bin/sh", ["-c", script]).ended().status == 0)
        func bytes(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(filePath: directory.path(name))))
        }
        let transport = NIOWindowTransport(tls: .success(try TLSClientContext(trustRootsPEM: bytes("ca.pem"))))
        for (name, fits, other) in [
            ("DNS:localhost", "localhost", "127.0.0.1"), ("IP:127.0.0.1", "127.0.0.1", "localhost"),
        ] {
            let identity = TLSIdentity(
                certificateChainPEM: try bytes(name + ".pem"),
                privateKeyPEM: try bytes(name + ".key")
            )
            let context = try TLSServerContext(identity: identity, applicationProtocols: [.http2, .http1])
            let server = try await start(context)
            let connection = try await transport.open(try request(server, scheme: "https", host: fits))
            #expect(try await connection.receive() == .text("/v1/brands/acme/window?deviceId=a%2Fb Bearer t"))
            let long = String(repeating: "é", count: 30_000)
            connection.send(long)
            #expect(try await connection.receive() == .text(long))
            connection.send("close")
            #expect(try await connection.receive() == .closed(code: 4401, reason: "token_expired"))
            let strange = try request(server, scheme: "https", host: other)
            await #expect(throws: TLSFailure.self) { try await transport.open(strange) }
            let known = try request(server, scheme: "https", host: fits)
            await #expect(throws: TLSFailure.self) { try await NIOWindowTransport().open(known) }
            try await server.close()
        }
    }

    @Test("hosts, ports and paths of addresses")
    func targets() throws {
        for (text, host, port, authority) in [
            ("https://push.example/a%2Fb", "push.example", 443, "push.example"),
            ("http://[::1]:8080/x?y=z", "::1", 8080, "[::1]:8080"),
            ("http://127.0.0.1", "127.0.0.1", 80, "127.0.0.1"),
        ] {
            let target = try WindowTarget(HTTPRequest(method: "GET", url: try #require(URL(string: text))))
            #expect(target.host == host)
            #expect(target.port == port)
            #expect(target.head.headers["Host"] == [authority])
        }
    }
}
