import Foundation
import GatewayClient
import Logging
import ProcessHarness
import Testing

@testable import Gateway

/// The API over TLS, with clients of other implementations.
@Suite("TLS", .timeLimit(.minutes(10)))
struct TLSTests {
    private let directory: TemporaryDirectory
    private let files: CertificateFiles

    init() async throws {
        directory = try TemporaryDirectory()
        files = try await CertificateFiles(in: directory)
        try await files.issue("first", serial: 1001)
        try files.install("first")
    }

    private func start(_ further: [String: String] = [:], trustRoots: String? = nil) async throws -> GatewayProcess {
        try await GatewayProcess.start(
            in: directory,
            trustRoots: trustRoots,
            environment: files.environment.merging(further) { $1 }
        )
    }

    /// Calls the API with curl, which verifies the certificate.
    private func call(
        _ gateway: GatewayProcess,
        _ method: String,
        _ path: String,
        body: JSONValue? = nil,
        arguments: [String] = []
    ) async throws -> (status: Int, body: JSONValue) {
        var words = ["curl", "-sS", "--cacert", files.authority, "-X", method, "-w", "\\n%{http_code}\\n"] + arguments
        words += ["-H", "Authorization: Bearer \(gateway.adminToken)", "-H", "Content-Type: application/json"]
        if let body { words += ["-d", body.text] }
        let curl = try ChildProcess("/usr/bin/env", words + [gateway.url + path])
        let exit = try await curl.ended()
        guard exit.status == 0, let status = curl.output.last.flatMap({ Int($0) }) else {
            throw HarnessError("curl ended with \(exit.status): \(curl.errors)")
        }
        let text = curl.output.dropLast().joined(separator: "\n")
        return (status, text.hasPrefix("{") ? try JSONValue(parsing: Data(text.utf8)) : .string(text))
    }

    /// Runs Python's TLS on the gateway's port.
    private func python(_ gateway: GatewayProcess, _ script: String) throws -> ChildProcess {
        let opening = """
            import http.client, socket, ssl, sys, time
            port, context = \(gateway.port), ssl.create_default_context(cafile="\(files.authority)")
            # OpenSSL's program leaves out what newer versions of Python require beyond the standard.
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT

            """
        return try ChildProcess("/usr/bin/env", ["python3", "-c", opening + script])
    }

    /// Runs OpenSSL's client, which reads no input.
    private func openSSL(
        _ gateway: GatewayProcess,
        _ arguments: String...
    ) async throws -> (status: Int32, text: String) {
        let words = ["openssl", "s_client", "-connect", "127.0.0.1:\(gateway.port)", "-CAfile", files.authority]
        let client = try ChildProcess("/usr/bin/env", words + ["-verify_return_error"] + arguments)
        let exit = try await client.ended()
        return (exit.status, (client.output + client.errors).joined(separator: "\n"))
    }

    @Test("an event goes the whole way, and a window opens; the ready line names https")
    func wholeWay() async throws {
        let simulator = try await SimulatorProcess.start(in: directory)
        let gateway = try await start(trustRoots: simulator.authority)
        #expect(gateway.url.hasPrefix("https://127.0.0.1:"))
        let brand = "/v1/brands/acme"
        #expect(try await call(gateway, "POST", "/v1/brands", body: ["id": "acme", "name": "Acme"]).status == 201)
        #expect(try await call(gateway, "PUT", brand + "/apps/ios", body: try simulator.iOSAppBody()).status == 201)
        let phone: JSONValue = ["token": .string(String(repeating: "5a", count: 32)), "pushType": "apns"]
        let registration = try await call(
            gateway,
            "PUT",
            brand + "/apps/ios/devices/phone?consumer=u-1",
            body: phone
        )
        #expect(registration.status / 100 == 2)
        for number in 1...3 {
            let event: JSONValue = [
                "id": .string("m-\(number)"), "type": "agent.message", "consumer": "u-1", "conversation": "c-9",
                "text": "hello",
            ]
            #expect(try await call(gateway, "POST", brand + "/events", body: event).status == 202)
        }
        #expect(try await simulator.pushes(3).count == 3)
        let session = try await call(gateway, "POST", brand + "/consumers/u-1/sessions", body: [:])
        let token = try #require(session.body["sessionToken"].string)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Interop/window.mjs").path()
        let node = try ChildProcess(
            "/usr/bin/env",
            ["node", "--experimental-websocket", script, gateway.url, "acme"],
            environment: ["SWITCHBOARD_SESSION_TOKEN": token, "NODE_EXTRA_CA_CERTS": files.authority]
        )
        let exit = try await node.ended()
        #expect(exit.status == 0, "\(node.errors.suffix(5))")
        let lines = node.output.filter { !$0.hasPrefix("read ") }
        #expect(
            lines == [
                "open switchboard.v1", "ready 3", "message 1", "message 2", "message 3", "error not_found",
                "closed 1000 ",
            ]
        )
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("TLS 1.2 and 1.3 are spoken with ALPN, sessions are resumed, and TLS 1.1 is refused")
    func versions() async throws {
        let gateway = try await start()
        for (version, name) in [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")] {
            for (offer, chosen) in [("http/1.1,h2", "h2"), ("http/1.1", "http/1.1"), ("foo,http/1.1", "http/1.1")] {
                let result = try await openSSL(gateway, version, "-alpn", offer)
                #expect(result.status == 0, "\(result.text)")
                #expect(result.text.contains("New, \(name), Cipher is "))
                #expect(result.text.contains("ALPN protocol: \(chosen)"))
            }
        }
        let foreign = try await openSSL(gateway, "-tls1_3", "-alpn", "foo,bar")
        #expect(foreign.status != 0 && foreign.text.contains("no application protocol"), "\(foreign.text)")
        let again = try await openSSL(gateway, "-tls1_2", "-reconnect")
        #expect(again.text.contains("Reused, TLSv1.2, Cipher is "), "\(again.text)")
        for refused in [
            ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384"],
        ] {
            let result = try await openSSL(gateway, refused[0], refused[1], refused[2])
            #expect(result.status != 0 && result.text.contains("Cipher is (NONE)"), "\(result.text)")
        }
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("a plain HTTP request gets 400 in words")
    func plaintext() async throws {
        let gateway = try await start()
        let words = ["curl", "-sS", "-w", "\\n%{http_code}\\n", "http://127.0.0.1:\(gateway.port)/livez"]
        let curl = try ChildProcess("/usr/bin/env", words)
        #expect(try await curl.ended().status == 0, "\(curl.errors)")
        #expect(curl.output.last == "400")
        let body = try JSONValue(parsing: Data(curl.output.dropLast().joined().utf8))
        #expect(body["code"].string == "invalid_request" && body["detail"].plain.contains("HTTPS"))
        #expect(try await call(gateway, "GET", "/livez").status == 200)
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("SIGHUP replaces the certificate; open connections stay, and files that are wrong change nothing")
    func reload() async throws {
        try await files.issue("second", serial: 2002)
        try await files.issue("old", serial: 3003, days: -1)
        let gateway = try await start()
        let client = try python(
            gateway,
            """
            def get(connection):
                connection.request("GET", "/livez")
                response = connection.getresponse()
                response.read()
                return response.status
            def serial():
                connection = http.client.HTTPSConnection("127.0.0.1", port, context=context)
                connection.connect()
                number = int(connection.sock.getpeercert()["serialNumber"], 16)
                connection.close()
                return number
            kept = http.client.HTTPSConnection("127.0.0.1", port, context=context)
            print("first", get(kept), serial(), flush=True)
            local = kept.sock.getsockname()
            while serial() == 1001: time.sleep(0.05)
            print("second", get(kept), serial(), kept.sock.getsockname() == local, flush=True)
            """
        )
        #expect(try await client.line("first ") == "200 1001")
        try files.install("second")
        gateway.process.signal(SIGHUP)
        #expect(try await client.line("second ") == "200 2002 True")
        #expect(try await client.ended().status == 0)
        _ = try await gateway.process.errorLine("the certificate of the API was read again")

        for (install, word) in [
            ({ try files.install("first", key: "second") }, "does not fit"),
            ({ try files.install("old") }, "expired on"),
            ({ try FileManager.default.removeItem(atPath: files.key) }, "cannot be read"),
        ] as [(() throws -> Void, String)] {
            try install()
            gateway.process.signal(SIGHUP)
            let line = try await gateway.process.errorLine(word)
            #expect(line.contains(#""level":"error""#) && line.contains("the previous one stays in use"))
            #expect(try await call(gateway, "GET", "/livez").status == 200)
        }
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("files that changed are used after they stayed the same for one check")
    func change() async throws {
        try await files.issue("second", serial: 2002)
        let certificate = try ServerCertificate(
            files: ServerTLSSettings(certificate: files.certificate, key: files.key),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let first = certificate.context
        certificate.checkFiles()
        try files.install("second", key: "first")
        // Between two files, then a pair that cannot be used.
        for _ in 0..<3 {
            certificate.checkFiles()
            #expect(certificate.context === first)
        }
        try files.install("second")
        certificate.checkFiles()
        #expect(certificate.context === first)
        certificate.checkFiles()
        let second = certificate.context
        #expect(second !== first)
        certificate.checkFiles()
        #expect(certificate.context === second)
    }

    @Test("a certificate that has expired, or does not fit the key, is an error of serve and check")
    func badFiles() async throws {
        try await files.issue("second", serial: 2002)
        try await files.issue("old", serial: 3003, days: -1)
        func run(_ verb: String) async throws -> (status: ProcessStatus?, text: String) {
            let listen = verb == "serve" ? ["--listen", "127.0.0.1:0"] : []
            let process = try ChildProcess(
                "switchboard",
                [verb, "--data-dir", directory.path("data")] + listen,
                environment: files.environment
            )
            let exit = try await process.ended()
            return (ProcessStatus(rawValue: exit.status), (process.output + process.errors).joined(separator: "\n"))
        }
        let good = try await run("check")
        #expect(good.status == .ok && good.text.contains("ok   server.tls: "), "\(good.text)")
        // Whole days of a certificate of 20 days: 20 in the second in which it was issued, and 19 after it.
        #expect(good.text.contains(/expires in (19|20) days/), "\(good.text)")
        for (name, key, word) in [("old", "old", "expired on"), ("first", "second", "does not fit")] {
            try files.install(name, key: key)
            let start = try await run("serve")
            #expect(start.status == .usage && start.text.contains(word), "\(start.text)")
            #expect(!FileManager.default.fileExists(atPath: directory.path("data")))
            let check = try await run("check")
            #expect(check.status == .failure && check.text.contains("BAD  server.tls: "), "\(check.text)")
        }
    }

    @Test("clients need a certificate if the settings name authorities for them")
    func clientCertificates() async throws {
        try await files.issue("client", serial: 4004)
        let gateway = try await start(["SWITCHBOARD_SERVER_TLS_CLIENT_CA": files.authority])
        await #expect(throws: HarnessError.self) { try await call(gateway, "GET", "/livez") }
        let identity = ["--cert", directory.path("client.pem"), "--key", directory.path("client.key")]
        #expect(try await call(gateway, "GET", "/livez", arguments: identity).status == 200)
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("handshakes that are not completed count for the limit of connections, and are closed")
    func stalledHandshakes() async throws {
        let gateway = try await start(["SWITCHBOARD_SERVER_MAX_CONNECTIONS": "4"])
        let client = try python(
            gateway,
            """
            def end(connection):
                try: return connection.recv(1) == b""
                except ConnectionResetError: return True
            def dial():
                return socket.create_connection(("127.0.0.1", port), 540)
            # 64 more than the limit get a response, further ones are closed at once.
            stalled = [dial() for _ in range(68)]
            for number, connection in enumerate(stalled):
                if number % 2: connection.sendall(b"\\x16\\x03\\x01\\x02")
            last = dial()
            print("last", end(last), flush=True)
            print("stalled", all([end(connection) for connection in stalled]), flush=True)
            half = dial()
            half.sendall(b"\\x16\\x03\\x01")
            half.shutdown(socket.SHUT_WR)
            print("half-open", end(half), flush=True)
            """
        )
        #expect(try await client.line("last ") == "True")
        #expect(try await client.line("stalled ") == "True")
        #expect(try await client.line("half-open ") == "True")
        #expect(try await client.ended().status == 0)
        #expect(try await call(gateway, "GET", "/livez").status == 200)
        let metrics = try await call(gateway, "GET", "/metrics")
        // The last one was not closed for its handshake.
        #expect(metrics.body.plain.contains(#"switchboard_http_cut_off_total{reason="slow_handshake"} 68"#))
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("server.insecure serves plain HTTP on any address, with a log line")
    func insecure() async throws {
        let gateway = try await GatewayProcess.start(
            in: directory,
            listen: "0.0.0.0:0",
            environment: ["SWITCHBOARD_SERVER_INSECURE": "true"]
        )
        #expect(gateway.url.hasPrefix("http://0.0.0.0:"))
        _ = try await gateway.process.errorLine("a proxy must terminate TLS")
        #expect(try await gateway.admin.call("GET", ["readyz"]).status == 200)
        #expect(try await gateway.process.stop().status == 0)
    }
}
