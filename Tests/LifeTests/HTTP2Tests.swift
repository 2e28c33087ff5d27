import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The API over HTTP/2, with clients of other implementations.
@Suite("HTTP/2 with independent clients", .timeLimit(.minutes(10)))
struct HTTP2Tests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func run(
        _ gateway: GatewayProcess,
        _ words: [String],
        environment: [String: String] = [:]
    ) async throws -> [String] {
        let token = ["SWITCHBOARD_TOKEN": gateway.adminToken]
        let client = try ChildProcess("/usr/bin/env", words, environment: token.merging(environment) { $1 })
        let exit = try await client.ended()
        #expect(exit.status == 0, "\(words): \(client.errors.suffix(10))")
        return client.output
    }

    private static func script(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Interop/\(name)").path()
    }

    /// The output of Python's client; its last line is that of another host than the gateway's.
    private static let python = [
        "served HTTP/2 200", "posted 100", "packed 202 2000", "tail 200 True", "window ready", "metrics 401",
    ]

    /// The output of the windows over HTTP/2.
    private static let windows = [
        "offered", "opened 200 200 ready ready", "heard hello hello 200", "typed consumer", "closed 1000",
        "refused 200 4403", "served 200",
    ]

    private static let node = ["posted 100", "batch 202 2000", "early 413", "tail true", "still served 200"]

    /// Runs a client in Python, which trusts an authority.
    private func runPython(
        _ gateway: GatewayProcess,
        _ url: String,
        authority: String? = nil,
        script: String = "http2_client.py"
    ) async throws -> [String] {
        // Without httpx this fails: Deploy/test.sh installs it.
        let words = ["python3", Self.script(script), url, "acme"]
        return try await run(gateway, words, environment: authority.map { ["SSL_CERT_FILE": $0] } ?? [:])
    }

    @Test("over TLS by ALPN: curl, Node, Python and h2load; a client that wants HTTP/1.1 gets it")
    func overTLS() async throws {
        let files = try await CertificateFiles(in: directory)
        try await files.issue("first", serial: 1001)
        try files.install("first")
        let gateway = try await GatewayProcess.start(in: directory, environment: files.environment)
        let version = ["-sS", "--cacert", files.authority, "-o", "/dev/null", "-w", "%{http_version} %{http_code}\\n"]
        for (option, expected) in [("--http2", "2 200"), ("--http1.1", "1.1 200"), ("--no-alpn", "1.1 200")] {
            #expect(try await run(gateway, ["curl", option] + version + [gateway.url + "/livez"]) == [expected])
        }
        let brand = ["-H", "Authorization: Bearer \(gateway.adminToken)", "-d", #"{"id":"acme","name":"Acme"}"#]
        let type = ["-H", "Content-Type: application/json", gateway.url + "/v1/brands"]
        #expect(try await run(gateway, ["curl", "--http2"] + version + brand + type) == ["2 201"])
        let script = ["node", Self.script("http2.mjs"), gateway.url, "acme"]
        #expect(try await run(gateway, script, environment: ["NODE_EXTRA_CA_CERTS": files.authority]) == Self.node)
        let python = try await runPython(gateway, gateway.url, authority: files.authority)
        #expect(python.dropLast() == Self.python.dropLast(), "\(python)")
        let windows = try await runPython(
            gateway,
            gateway.url,
            authority: files.authority,
            script: "window_http2.py"
        )
        #expect(windows == Self.windows)
        let load = try await run(gateway, ["h2load", "-n", "2000", "-c", "4", "-m", "32", gateway.url + "/livez"])
        #expect(
            load.contains { $0.hasPrefix("requests: 2000 total, 2000 started, 2000 done, 2000 succeeded") },
            "\(load)"
        )
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("without TLS by the preface: curl, nghttp, Node, Python and h2load; Java's client uses HTTP/1.1")
    func cleartext() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let version = ["-sS", "-o", "/dev/null", "-w", "%{http_version} %{http_code}\\n"]
        // Without prior knowledge curl asks for h2c, which is ignored.
        for (option, expected) in [("--http2-prior-knowledge", "2 200"), ("--http2", "1.1 200")] {
            #expect(try await run(gateway, ["curl", option] + version + [gateway.url + "/livez"]) == [expected])
        }
        #expect(try await run(gateway, ["nghttp", gateway.url + "/livez"]).joined().contains("ok"))
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        #expect(try await run(gateway, ["node", Self.script("http2.mjs"), gateway.url, "acme"]) == Self.node)
        let python = try await runPython(gateway, gateway.url)
        #expect(python.dropLast() == Self.python.dropLast(), "\(python)")
        let load = try await run(gateway, ["h2load", "-n", "2000", "-c", "4", "-m", "32", gateway.url + "/livez"])
        #expect(
            load.contains { $0.hasPrefix("requests: 2000 total, 2000 started, 2000 done, 2000 succeeded") },
            "\(load)"
        )
        let java = try await run(gateway, ["java", Self.script("Http2Client.java"), gateway.url])
        #expect(java == Array(repeating: "HTTP_1_1 200", count: 3))
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("a stop ends a stream of deliveries properly, and server.http2 turns HTTP/2 off")
    func stopAndOff() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let authorization = ["-H", "Authorization: Bearer \(gateway.adminToken)"]
        let tail = gateway.url + "/v1/brands/acme/deliveries/tail"
        let follower = try ChildProcess(
            "/usr/bin/env",
            ["curl", "-sSN", "--http2-prior-knowledge", tail] + authorization
        )
        _ = try await follower.line("id: ")
        #expect(try await gateway.process.stop().status == 0)
        #expect(try await follower.ended().status == 0, "\(follower.errors)")
        let old = try await GatewayProcess.start(in: directory, environment: ["SWITCHBOARD_SERVER_HTTP2": "false"])
        let curl = try ChildProcess("/usr/bin/env", ["curl", "-sS", "--http2-prior-knowledge", old.url + "/livez"])
        #expect(try await curl.ended().status != 0)
        #expect(try await old.admin.call("GET", ["livez"]).status == 200)
        #expect(try await old.process.stop().status == 0)
    }

    enum Proxy: String, CaseIterable {
        case nginx = "nginx.conf"
        case haproxy = "haproxy.cfg"
    }

    @Test(
        "everything passes the proxies of the examples: requests, packed batches, streams and windows",
        arguments: Proxy.allCases
    )
    func proxies(_ proxy: Proxy) async throws {
        let files = try await CertificateFiles(in: directory)
        try await files.issue("first", serial: 1001)
        try files.install("first")
        let gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let port = try await freePort()
        var text = try String(
            contentsOfFile: Self.script("../../Deploy/examples/proxy/\(proxy.rawValue)"),
            encoding: .utf8
        )
        func replace(_ example: String, _ value: String) throws {
            try #require(text.contains(example), "\(example)")
            text = text.replacingOccurrences(of: example, with: value)
        }
        try replace("127.0.0.1:8080", "127.0.0.1:\(gateway.port)")
        let path = directory.path(proxy.rawValue)
        let words: [String]
        switch proxy {
        case .nginx:
            try replace("listen 443", "listen 127.0.0.1:\(port)")
            try replace("/etc/letsencrypt/live/gateway.example.com/fullchain.pem", files.certificate)
            try replace("/etc/letsencrypt/live/gateway.example.com/privkey.pem", files.key)
            // One process, with its files in the test's directory.
            text = """
                daemon off; master_process off; pid nginx.pid; error_log stderr;
                events {}
                http {
                access_log off; client_body_temp_path body; proxy_temp_path proxy;
                fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                \(text)
                }
                """
            words = ["-p", directory.path, "-e", "stderr", "-c", path]
        case .haproxy:
            let pem = directory.path("haproxy.pem")
            let parts = try [files.certificate, files.key].map { try String(contentsOfFile: $0, encoding: .utf8) }
            try parts.joined().write(toFile: pem, atomically: true, encoding: .utf8)
            try replace("bind :443", "bind 127.0.0.1:\(port)")
            try replace("/etc/haproxy/gateway.example.com.pem", pem)
            words = ["-db", "-f", path]
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let process = try ChildProcess("/usr/sbin/\(proxy)", words)
        let url = "https://localhost:\(port)"
        // Until it listens.
        let ready = [
            "curl", "-sS", "--cacert", files.authority, "--retry", "9", "--retry-connrefused", url + "/readyz",
        ]
        #expect(try await run(gateway, ready) == [#"{"status":"ready"}"#], "\(process.errors)")
        #expect(try await runPython(gateway, url, authority: files.authority) == Self.python, "\(process.errors)")
        process.signal(SIGTERM)
        try await process.ended()
        #expect(try await gateway.process.stop().status == 0)
    }
}
