import GuardedHTTP
import ProcessHarness
import TestSupport
import Testing

@Suite("A guarded request through the outbound proxy", .timeLimit(.minutes(10)))
struct GuardedProxyTests {
    /// Sends a request through a proxy, and closes the client.
    private func ask(
        _ url: String,
        through proxy: ProxyServer,
        addresses: [String],
        exceptions: ProxyExceptions = .loopback,
        policy: AddressPolicy = AddressPolicy()
    ) async throws -> Result<GuardedResponse, GuardedFailure> {
        let client = GuardedHTTPClient(
            resolver: TestResolver(addresses),
            policy: policy,
            proxy: OutboundProxy(
                host: "127.0.0.1",
                port: proxy.port,
                credentials: (user: "user", password: "secret"),
                exceptions: exceptions
            ),
            maxIdle: 0
        )
        let request = GuardedRequest(
            url: try client.url(url),
            method: .post(Array("x".utf8)),
            headers: [],
            responseBody: .read(maxBytes: 1000),
            timeout: .seconds(60)
        )
        let result: Result<GuardedResponse, GuardedFailure>
        do { result = .success(try await client.send(request)) } catch { result = .failure(error) }
        await client.close()
        return result
    }

    private func failure(_ result: Result<GuardedResponse, GuardedFailure>) -> GuardedFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test(
        "gives the proxy the checked address and not the name; the proxy's failures are named",
        arguments: [
            (.send("HTTP/1.1 403 Forbidden\r\n\r\n"), .proxy),
            (.send("HTTP/1.1 407 No\r\n\r\n"), .proxyCredentials),
            (.close, .proxy), (.silent, .proxy), (.send("SSH-2.0-OpenSSH\r\n"), .proxy),
        ] as [(ProxyServer.Behaviour, GuardedFailure)]
    )
    func failures(behaviour: ProxyServer.Behaviour, expected: GuardedFailure) async throws {
        let proxy = try await ProxyServer.start()
        proxy.behave(behaviour)
        let result = try await ask("https://hook.example:8443/", through: proxy, addresses: ["8.8.8.8"])
        #expect(failure(result) == expected)
        #expect(proxy.targets == ["8.8.8.8:8443"])
        let head = try #require(proxy.heads.first)
        #expect(!head.contains("hook.example") && head.contains("Basic dXNlcjpzZWNyZXQ="))
        await proxy.stop()
    }

    @Test(
        "is checked before the proxy is asked: a forbidden address of a name is none for the proxy either",
        arguments: [["127.0.0.1"], ["10.0.0.1"], ["8.8.8.8", "169.254.169.254"], ["::1"]]
    )
    func guarded(addresses: [String]) async throws {
        let proxy = try await ProxyServer.start()
        let result = try await ask("https://innocent.example/", through: proxy, addresses: addresses)
        #expect(failure(result) == .forbiddenAddress)
        #expect(proxy.heads.isEmpty)
        await proxy.stop()
    }

    @Test("does not use the proxy for this host, whatever the exceptions are")
    func thisHost() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let proxy = try await ProxyServer.start()
        let none = try #require(ProxyExceptions(["nothing.invalid"]))
        let response = try await ask(
            "http://127.0.0.1:\(server.port)/",
            through: proxy,
            addresses: [],
            exceptions: none,
            policy: AddressPolicy(allowsLoopback: true)
        ).get()
        #expect(response.status == 200)
        #expect(proxy.heads.isEmpty)
        await proxy.stop()
    }
}
