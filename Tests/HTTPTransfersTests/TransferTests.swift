import HTTPTransfers
import ProcessHarness
import Testing

@Suite("A transfer", .timeLimit(.minutes(10)))
struct TransferTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Sends a request by a client of its own.
    private func failure(_ request: TransferRequest, maxBodyBytes: Int = 1000) async -> TransferFailure? {
        let client = TransferClient()
        do {
            _ = try await client.send(request, maxBodyBytes: maxBodyBytes)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "sends method, header fields and body, and no fields of its own but those that HTTP requires",
        arguments: [
            ("GET", nil, []), ("GET", "hello", ["Content-Length: 5"]), ("POST", "hello", ["Content-Length: 5"]),
            ("POST", "", ["Content-Length: 0"]), ("POST", nil, ["Content-Length: 0"]),
            ("PUT", "hello", ["Content-Length: 5"]), ("PUT", nil, ["Content-Length: 0"]), ("DELETE", nil, []),
        ] as [(String, String?, [String])]
    )
    func request(method: String, body: String?, added: [String]) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        let url = "http://127.0.0.1:\(peer.port)/echo?a=%20/../b"
        let headers = [("X-Test", "one"), ("accept", "a/b"), ("x-empty", "")]
        let request = TransferRequest(
            method,
            url,
            headers: headers.map { (name: $0, value: $1) },
            body: body.map { Array($0.utf8) },
            timeout: .seconds(60)
        )
        let response = try await client.send(request, maxBodyBytes: 1000)
        let parts = String(decoding: response.body, as: UTF8.self).split(separator: "\n\n", maxSplits: 1)
        let lines = parts[0].split(separator: "\n").map(String.init)
        let expected = ["Host: 127.0.0.1:\(peer.port)", "X-Test: one", "accept: a/b", "x-empty:"] + added
        #expect(lines == ["\(method) /echo?a=%20/../b HTTP/1.1"] + expected)
        #expect((parts.count > 1 ? String(parts[1]) : "") == body ?? "")
        #expect(response.status == 200 && response.header("X-TWO") == "a:b" && response.header("x-one") == "1")
        #expect(response.headers.map(\.name) == ["Content-Length", "X-One", "x-two", "X-ONE"])
    }

    @Test("reads a response to HEAD, an empty one, and one after an interim response")
    func forms() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        let url = "http://127.0.0.1:\(peer.port)"
        let head = try await client.send(.init("HEAD", url + "/big?70000", timeout: .seconds(60)), maxBodyBytes: 10)
        #expect(head.status == 200 && head.body.isEmpty && head.header("content-length") == "70000")
        let late = try await client.send(.init("GET", url + "/interim", timeout: .seconds(60)), maxBodyBytes: 10)
        #expect(late.status == 200 && late.body == Array("late".utf8) && late.header("link") == nil)
        let none = try await client.send(.init("GET", url + "/204", timeout: .seconds(60)), maxBodyBytes: 0)
        #expect(none.status == 204 && none.body.isEmpty)
        #expect(try await peer.lines("> ", 3).allSatisfy { $0.hasPrefix("1 ") }, "one connection")
    }

    @Test("follows no redirect and keeps no cookie")
    func redirect() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        let url = "http://127.0.0.1:\(peer.port)"
        let first = try await client.send(.init("GET", url + "/redirect", timeout: .seconds(60)), maxBodyBytes: 10)
        #expect(first.status == 302 && first.header("location") == "/elsewhere")
        let second = try await client.send(.init("GET", url + "/echo", timeout: .seconds(60)), maxBodyBytes: 1000)
        #expect(!String(decoding: second.body, as: UTF8.self).lowercased().contains("cookie"))
        #expect(try await peer.lines("> ", 2).count == 2)
    }

    @Test("refuses invalid requests before it connects")
    func invalid() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let url = "http://127.0.0.1:\(peer.port)/200"
        var requests = [
            "", "//x", "file:///etc/passwd", "ftp://127.0.0.1/", "http://", "http://a:b@127.0.0.1:\(peer.port)/",
            "http://127.0.0.1:\(peer.port)/a\u{0}b", "http://127.0.0.1:\(peer.port)/a b",
        ].map { TransferRequest("GET", $0, timeout: .seconds(60)) }
        requests += ["", "GET /", "G\r\nET"].map { TransferRequest($0, url, timeout: .seconds(60)) }
        requests += [("a", "b\r\nc: d"), ("a", "b\u{0}"), ("a:b", "c"), ("", "c"), ("a ", "c")].map { field in
            TransferRequest("GET", url, headers: [(name: field.0, value: field.1)], timeout: .seconds(60))
        }
        for address in ["localhost", "127.0.0.1:80", "[::1]", ""] {
            var request = TransferRequest("GET", url, timeout: .seconds(60))
            request.address = address
            requests.append(request)
        }
        for request in requests {
            #expect(await failure(request)?.reason == .invalidRequest, "\(request)")
        }
        #expect(peer.count("opened ") == 0)
    }

    @Test("ends at its timeout, whatever the peer sends", arguments: ["hang", "driphead", "drip", "some"])
    func timeout(path: String) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let url = "http://127.0.0.1:\(peer.port)/\(path)"
        let found = await failure(.init("GET", url, timeout: .seconds(2)), maxBodyBytes: 1_000_000)
        #expect(found?.reason == .timeout)
    }

    @Test("ends when no bytes arrive for the idle timeout, and not earlier", arguments: ["hang", "some", "drip"])
    func idle(path: String) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        var request = TransferRequest("GET", "http://127.0.0.1:\(peer.port)/\(path)", timeout: .seconds(60))
        request.idleTimeout = .seconds(path == "drip" ? 4 : 1)
        // More bytes than come within the idle timeout.
        let found = await failure(request, maxBodyBytes: 250)
        #expect(found?.reason == (path == "drip" ? .tooLarge : .idleTimeout))
    }

    @Test("bounds the head and the trailers", arguments: ["fields", "field", "interims", "trailers"])
    func head(path: String) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let url = "http://127.0.0.1:\(peer.port)/\(path)"
        let found = await failure(.init("GET", url, timeout: .seconds(60)), maxBodyBytes: 10)
        #expect(found?.reason == .headersTooLarge && found?.mayHaveSent == true)
        try await peer.lines("closed ", 1)
    }

    @Test("bounds the body")
    func body() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let url = "http://127.0.0.1:\(peer.port)"
        let endless = await failure(.init("GET", url + "/endless", timeout: .seconds(60)), maxBodyBytes: 1_000_000)
        #expect(endless?.reason == .tooLarge)
        try await peer.lines("closed ", 1)
        #expect(await failure(.init("GET", url + "/big?100000", timeout: .seconds(60)), maxBodyBytes: 100_000) == nil)
        let larger = await failure(.init("GET", url + "/big?100001", timeout: .seconds(60)), maxBodyBytes: 100_000)
        #expect(larger?.reason == .tooLarge && larger?.mayHaveSent == true)
    }

    @Test("reports a connection that breaks, and a peer that speaks no HTTP", arguments: ["close", "cut", "ssh"])
    func broken(path: String) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let found = await failure(.init("GET", "http://127.0.0.1:\(peer.port)/\(path)", timeout: .seconds(60)))
        #expect(found?.reason == .broken && found?.mayHaveSent == true)
    }

    @Test("reports a refused connection, and that nothing was sent")
    func unreachable() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let found = await failure(.init("GET", "http://127.0.0.2:\(peer.port)/", timeout: .seconds(60)))
        #expect(found?.reason == .unreachable && found?.mayHaveSent == false)
    }

    @Test("connects to the given address whatever the name is", arguments: ["127.0.0.1", "::ffff:127.0.0.1"])
    func address(address: String) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        for host in ["some.invalid", "127.0.0.9", "[::2]"] {
            var request = TransferRequest("GET", "http://\(host):\(peer.port)/echo", timeout: .seconds(60))
            request.address = address
            let response = try await client.send(request, maxBodyBytes: 1000)
            #expect(String(decoding: response.body, as: UTF8.self).contains("\nHost: \(host):\(peer.port)\n"))
        }
        var other = TransferRequest("GET", "http://some.invalid:\(peer.port)/", timeout: .seconds(60))
        // The connection to the first address must not serve for another.
        other.address = "127.0.0.2"
        await #expect(throws: TransferFailure.self) { try await client.send(other, maxBodyBytes: 10) }
    }
}
