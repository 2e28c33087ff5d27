import HTTPTransfers
import ProcessHarness
import Testing

@Suite("A transfer over TLS, HTTP/2 or a proxy", .timeLimit(.minutes(10)))
struct TransferSecurityTests {
    private let directory: TemporaryDirectory
    private let roots: String

    init() throws {
        directory = try TemporaryDirectory()
        roots = directory.path("ca.pem")
    }

    private func text(_ response: TransferResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    private func reason(_ client: TransferClient, _ request: TransferRequest) async -> TransferFailure? {
        do {
            _ = try await client.send(request, maxBodyBytes: 1000)
            return nil
        } catch {
            return error
        }
    }

    @Test("sends the name to the server and requires a certificate for it, whatever the address is")
    func names() async throws {
        try await Peer.makeCertificates(in: directory)
        let peer = try await Peer.start(.secure, "sound", in: directory)
        let client = TransferClient(trustRootsFile: roots)
        for (host, name) in [("a.some.localhost", "a.some.localhost"), ("127.0.0.1", "None")] {
            var request = TransferRequest("GET", "https://\(host):\(peer.port)/sni", timeout: .seconds(60))
            request.address = "127.0.0.1"
            #expect(try await text(client.send(request, maxBodyBytes: 100)) == name)
        }
        for host in ["some.invalid", "a.b.some.localhost", "127.0.0.2"] {
            var request = TransferRequest("GET", "https://\(host):\(peer.port)/sni", timeout: .seconds(60))
            request.address = "127.0.0.1"
            let failure = await reason(client, request)
            #expect(failure?.reason == .tls && failure?.mayHaveSent == false)
        }
    }

    @Test("trusts added roots only where they are given, and no certificate for another host, and no old version")
    func trust() async throws {
        try await Peer.makeCertificates(in: directory)
        let sound = try await Peer.start(.secure, "sound", in: directory)
        let request = TransferRequest("GET", "https://localhost:\(sound.port)/200", timeout: .seconds(60))
        #expect(await reason(TransferClient(trustRootsFile: roots), request) == nil)
        #expect(await reason(TransferClient(), request)?.reason == .tls)
        #expect(await reason(TransferClient(trustRootsFile: directory.path("missing")), request)?.reason == .tls)
        for (kind, certificate) in [(Peer.Kind.secure, "other"), (.old, "sound")] {
            let peer = try await Peer.start(kind, certificate, in: directory)
            let request = TransferRequest("GET", "https://localhost:\(peer.port)/200", timeout: .seconds(60))
            #expect(await reason(TransferClient(trustRootsFile: roots), request)?.reason == .tls)
            #expect(peer.count("> ") == 0)
        }
    }

    @Test("uses HTTP/2 where the peer has it")
    func http2() async throws {
        try await Peer.makeCertificates(in: directory)
        let peer = try await Peer.start(.http2, "sound", in: directory)
        let client = TransferClient(trustRootsFile: roots)
        let url = "https://a.some.localhost:\(peer.port)"
        try await withThrowingTaskGroup { group in
            for size in [0, 1, 1000, 100_000, 1_000_000] {
                group.addTask {
                    var request = TransferRequest(
                        "POST",
                        url + "/\(size)",
                        headers: [("X-Test", "\(size)")],
                        body: [UInt8](repeating: 1, count: size),
                        timeout: .seconds(60)
                    )
                    request.address = "127.0.0.1"
                    let response = try await client.send(request, maxBodyBytes: 1000)
                    #expect(text(response) == "2.0 a.some.localhost:\(peer.port) \(size)")
                    #expect(response.status == 200 && response.header("x-test") == "\(size)")
                    #expect(response.header("x-late") == nil)
                }
            }
            try await group.waitForAll()
        }
        let opened = peer.count("opened ")
        #expect(opened <= 5)
        for (path, expected) in [("reset", .broken), ("hang", .timeout), ("endless", .tooLarge)]
            as [(String, TransferFailure.Reason)]
        {
            var request = TransferRequest("GET", "\(url)/\(path)", timeout: .seconds(path == "hang" ? 1 : 60))
            request.address = "127.0.0.1"
            #expect(await reason(client, request)?.reason == expected)
        }
        #expect(try peer.connections() > 0)
        await client.close(isCancelling: false)
        #expect(try peer.connections() == 0)
    }

    @Test("goes through a proxy, which gets the address and the credentials, and the host gets neither")
    func proxy() async throws {
        try await Peer.makeCertificates(in: directory)
        let host = try await Peer.start(.secure, "sound", in: directory)
        let plain = try await Peer.start(.plain, in: directory)
        let proxy = try await Peer.start(.proxy, in: directory)
        let client = TransferClient(trustRootsFile: roots)
        for (url, address) in [
            ("https://a.some.localhost:\(host.port)/echo", "8.8.8.8"),
            ("http://some.invalid:\(plain.port)/echo", "::9"),
            ("https://localhost:\(host.port)/echo", nil),
        ] {
            var request = TransferRequest("GET", url, timeout: .seconds(60))
            request.address = address
            request.proxy = TransferProxy(host: "127.0.0.1", port: proxy.port, credentials: ("user", "secret"))
            let response = try await client.send(request, maxBodyBytes: 1000)
            #expect(text(response).hasPrefix("GET /echo HTTP/1.1\nHost: ") && !text(response).contains("Proxy"))
        }
        let heads = try await proxy.lines("> ", 3)
        #expect(heads.count == 3 && heads.allSatisfy { !$0.contains("some.") })
        #expect(heads[0].contains("CONNECT 8.8.8.8:\(host.port) "))
        #expect(heads[1].contains("CONNECT [::9]:\(plain.port) "))
        #expect(heads[2].contains("CONNECT localhost:\(host.port) "))
    }

    @Test(
        "names the proxy's failures, each after one try",
        arguments: [
            ("", .proxyCredentials), ("403", .proxyRefused), ("close", .proxyRefused), ("silent", .proxyTimeout),
            ("ssh", .proxyTimeout),
        ] as [(String, TransferFailure.Reason)]
    )
    func proxyFailures(behaviour: String, expected: TransferFailure.Reason) async throws {
        let proxy = try await Peer.start(.proxy, behaviour, in: directory)
        var request = TransferRequest("GET", "https://host.invalid:8443/", timeout: .seconds(60))
        request.proxy = TransferProxy(host: "127.0.0.1", port: proxy.port, credentials: ("user:", "wrong"))
        let isTimeout = expected == .proxyTimeout
        if isTimeout { request.connectTimeout = .seconds(1) }
        let failure = await reason(TransferClient(), request)
        #expect(failure?.reason == expected && failure?.mayHaveSent == false)
        #expect(try await proxy.lines("> ", isTimeout ? 0 : 1).count <= 1)
        request.proxy?.host = "127.0.0.2"
        #expect(await reason(TransferClient(), request)?.reason == .proxyUnreachable)
    }
}
