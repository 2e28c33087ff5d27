import HTTP2Connections
import NIOCore
import NIOPosix
import TLS
import TestSupport
import Testing

/// Interoperability with programs that share no code with ours.
@Suite("Independent peers")
struct IndependentPeerTests {
    private static let nodeServer = """
        const http2 = require('http2'), fs = require('fs');
        const server = http2.createSecureServer({
            key: fs.readFileSync(process.argv[1]), cert: fs.readFileSync(process.argv[2]) });
        server.on('stream', (stream, headers) => {
            const parts = [];
            stream.on('data', part => parts.push(part));
            stream.on('end', () => {
                stream.additionalHeaders({ ':status': 103, 'x-early': 'hint' });
                stream.respond({ ':status': 202, 'x-path': headers[':path'], 'x-auth': headers['authorization'] });
                stream.end(Buffer.concat(parts));
            });
        });
        server.listen(0, '127.0.0.1', () => console.log(server.address().port));
        """

    private static let request = HTTP2Request(
        id: 3,
        path: "/3/device/ab?c=d",
        headers: [HTTP2Header(name: "authorization", value: "bearer x", indexing: .neverIndexed)],
        body: Array(repeating: 0x61, count: 3000)
    )

    @Test("Node's http2 server accepts our requests", .timeLimit(.minutes(10)))
    func node() async throws {
        let authority = try TestAuthority()
        let peer = try PeerProcess(
            "node",
            ["-e", Self.nodeServer, "{key}", "{certificate}"],
            identity: authority.issue()
        )
        let port = try #require(Int(await peer.lines.next()))
        try await Dial.run(port: port, trust: authority.certificatePEM) { dial in
            for _ in 0..<3 {
                let response = await dial.queue.send(Self.request)
                guard case .response(let status, let headers, let body) = response.result else {
                    Issue.record("\(response)")
                    return
                }
                #expect(status == 202)
                #expect(headers["x-path"] == Self.request.path)
                #expect(headers["x-auth"] == "bearer x")
                // Interim responses (RFC 9110 section 15.2) are not the final response.
                #expect(headers["x-early"] == nil)
                #expect(body == Self.request.body)
            }
        }
    }

    @Test("nghttpd accepts our requests", .timeLimit(.minutes(10)))
    func nghttpd() async throws {
        let authority = try TestAuthority()
        let port = try await Dial.freePort()
        let peer = try PeerProcess(
            "nghttpd",
            ["-a", "127.0.0.1", "--echo-upload", "-d", "{folder}", String(port), "{key}", "{certificate}"],
            identity: authority.issue()
        )
        var configuration = HTTP2ConnectionConfiguration()
        configuration.backoffBase = .milliseconds(10)
        configuration.backoffCap = .milliseconds(20)
        try await Dial.run(port: port, trust: authority.certificatePEM, configuration: configuration) { dial in
            for _ in 0..<3 {
                let response = await dial.queue.send(Self.request)
                guard case .response(let status, _, let body) = response.result else {
                    Issue.record("\(response)")
                    return
                }
                #expect(status == 200)
                #expect(body == Self.request.body)
            }
        }
        withExtendedLifetime(peer) {}
    }

    @Test("Node's http2 client is served", .timeLimit(.minutes(10)))
    func nodeClient() async throws {
        let script = """
            const http2 = require('http2'), fs = require('fs');
            const client = http2.connect('https://localhost:' + process.argv[2], { ca: fs.readFileSync(process.argv[1]) });
            const request = client.request({ ':method': 'POST', ':path': '/echo', 'x-one': 'two' });
            let status, body = '';
            request.on('response', headers => { status = headers[':status']; });
            request.on('data', part => { body += part; });
            request.on('end', () => { console.log(status + ' ' + body); client.close(); });
            request.end('hello');
            """
        let echo: TestApplication.Responder = { request in
            HTTP2ServerResponse(status: 207, body: Array("\(request["x-one"] ?? "")".utf8) + request.body)
        }
        try await Loopback.run(respond: echo) { loopback in
            let peer = try PeerProcess(
                "node",
                ["-e", script, "{authority}", String(loopback.server.port)],
                identity: try loopback.authority.issue(),
                authority: loopback.authority.certificatePEM
            )
            #expect(await peer.lines.next() == "207 twohello")
        }
    }

    @Test(
        "a peer that speaks only HTTP/1.1 causes a clear error",
        .timeLimit(.minutes(10)),
        arguments: ["https", "tls"]
    )
    func http1Only(module: String) async throws {
        let script = """
            const fs = require('fs');
            const server = require('\(module)').createServer({
                key: fs.readFileSync(process.argv[1]), cert: fs.readFileSync(process.argv[2]) });
            server.listen(0, '127.0.0.1', () => console.log(server.address().port));
            """
        let authority = try TestAuthority()
        let peer = try PeerProcess("node", ["-e", script, "{key}", "{certificate}"], identity: authority.issue())
        let port = try #require(Int(await peer.lines.next()))
        try await Dial.run(port: port, trust: authority.certificatePEM) { dial in
            _ = dial.queue.submit(Self.request) { _ in }
            let failure = await dial.failure()
            #expect(failure == .tls(.noHTTP2(chosen: nil)))
            #expect(failure.description.contains("does not speak HTTP/2"))
        }
    }

    @Test("a peer that becomes silent is detected by PING", .timeLimit(.minutes(10)))
    func silentPeer() async throws {
        let authority = try TestAuthority()
        let peer = try PeerProcess(
            "node",
            ["-e", Self.nodeServer, "{key}", "{certificate}"],
            identity: authority.issue()
        )
        let port = try #require(Int(await peer.lines.next()))
        var configuration = HTTP2ConnectionConfiguration()
        configuration.pingInterval = .milliseconds(50)
        configuration.pingTimeout = .seconds(1)
        try await Dial.run(port: port, trust: authority.certificatePEM, configuration: configuration) { dial in
            #expect(await dial.queue.send(Self.request).status == 202)
            peer.freeze()
            let response = await dial.queue.send(Self.request)
            #expect(response.failure == .unknown(.connectionLost))
            #expect(await dial.failure() == .pingUnanswered)
        }
    }
}
