import HTTP2Connections
import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite("Connections through a proxy", .timeLimit(.minutes(10)))
struct ProxyTests {
    private static let credentials = "Basic dXNlcjpzZWNyZXQ="

    private static func description(
        of proxy: ProxyServer,
        authorization: String? = nil,
        resolves: Bool = false
    ) -> HTTP2Proxy {
        var description = HTTP2Proxy(host: "127.0.0.1", port: proxy.port, authorization: authorization)
        if resolves { description.makeResolver = { HeldResolver(eventLoop: $0, hold: nil) } }
        return description
    }

    @Test("requests pass through a tunnel to the target, whose certificate is verified", arguments: [true, false])
    func tunnel(resolves: Bool) async throws {
        let proxy = try await ProxyServer.start()
        proxy.require(Self.credentials)
        let description = Self.description(of: proxy, authorization: Self.credentials, resolves: resolves)
        try await Loopback.run(proxy: description) { loopback in
            let responses = loopback.submit(200)
            #expect(await responses.take(200).allSatisfy { $0.status == 200 })
            let target = "127.0.0.1:\(loopback.server.port)"
            #expect(Set(proxy.targets) == [target])
            let head = try #require(proxy.heads.first)
            #expect(head.hasPrefix("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"))
        }
        await proxy.stop()
    }

    @Test(
        "a proxy that opens no tunnel is named as the cause, and no request is taken",
        arguments: [
            (.send("HTTP/1.1 407 No\r\n\r\n"), .credentials),
            (.send("HTTP/1.0 403 No\r\n\r\n"), .refused(status: 403)),
            (.send("HTTP/1.1 502 Bad\r\n\r\n"), .refused(status: 502)), (.close, .closed), (.silent, .timedOut),
            (.send("SSH-2.0-OpenSSH"), .malformed), (.send("HTTP/1.1 200 OK\r\n\r\nSSH-2.0"), .malformed),
            (.send("HTTP/1.1 200 OK\r\n"), .timedOut),
            (.send("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20_000)), .malformed),
        ] as [(ProxyServer.Behaviour, HTTP2ProxyFailure.Cause)]
    )
    func failures(behaviour: ProxyServer.Behaviour, cause: HTTP2ProxyFailure.Cause) async throws {
        let authority = try TestAuthority()
        let proxy = try await ProxyServer.start()
        proxy.behave(behaviour)
        var configuration = HTTP2ConnectionConfiguration()
        if cause == .timedOut { configuration.setupTimeout = .milliseconds(200) }
        try await Dial.run(
            port: 1,
            trust: authority.certificatePEM,
            configuration: configuration,
            proxy: Self.description(of: proxy)
        ) { dial in
            _ = dial.queue.submit(HTTP2Request(id: 1, path: "/", body: [], timeout: .hours(1))) { _ in }
            let failure = await dial.failure()
            #expect(failure == .proxy(HTTP2ProxyFailure(proxy: "127.0.0.1:\(proxy.port)", cause: cause)))
            #expect(failure.label == "proxy" && "\(failure)".contains("127.0.0.1:\(proxy.port) (provider.proxy)"))
            #expect(dial.queue.depth == 1)
        }
        await proxy.stop()
    }

    @Test("a proxy that does not listen is named as the cause")
    func closedPort() async throws {
        let authority = try TestAuthority()
        let proxy = HTTP2Proxy(host: "127.0.0.1", port: try await Dial.freePort())
        try await Dial.run(port: 1, trust: authority.certificatePEM, proxy: proxy) { dial in
            _ = dial.queue.submit(HTTP2Request(id: 1, path: "/", body: [], timeout: .hours(1))) { _ in }
            guard case .proxy(let failure) = await dial.failure(), case .unreachable = failure.cause else {
                Issue.record("another failure")
                return
            }
            #expect(failure.proxy == proxy.name)
        }
    }

    @Test("a proxy is checked with a target that it may reject, and its credentials count")
    func check() async throws {
        let proxy = try await ProxyServer.start()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        func check(_ authorization: String?) async -> HTTP2ProxyFailure? {
            await Self.description(of: proxy, authorization: authorization)
                .check(on: loop, resolver: nil, timeout: .seconds(60))
        }
        proxy.behave(.send("HTTP/1.1 403 Forbidden\r\n\r\n"))
        #expect(await check(nil) == nil)
        proxy.require(Self.credentials)
        #expect(await check("Basic d3Jvbmc6d3Jvbmc=")?.cause == .credentials)
        #expect(await check(Self.credentials) == nil)
        proxy.behave(.close)
        #expect(await check(Self.credentials)?.cause == .closed)
        #expect(Set(proxy.targets) == ["switchboard.invalid:443"])
        await proxy.stop()
    }
}
