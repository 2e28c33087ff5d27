import Dispatch
import ProcessHarness
import Synchronization
import Testing

@testable import GuardedHTTP

@Suite("A guarded request", .timeLimit(.minutes(10)))
struct GuardedHTTPClientTests {
    /// Sends a request and closes the client.
    private func ask(
        _ url: String,
        method: GuardedRequest.Method = .get,
        body: GuardedRequest.ResponseBodyHandling = .read(maxBytes: 1000),
        owner: String = "",
        timeout: Duration = .seconds(20),
        resolver: any HostResolver = TestResolver(["127.0.0.1"]),
        trusting roots: String? = nil,
        policy: AddressPolicy = AddressPolicy(allowsLoopback: true)
    ) async throws -> Result<GuardedResponse, GuardedFailure> {
        let client = GuardedHTTPClient(resolver: resolver, trustRootsFile: roots, policy: policy, maxIdle: 2)
        let request = GuardedRequest(
            url: try client.url(url),
            method: method,
            headers: [("x-test", "it")],
            responseBody: body,
            timeout: timeout,
            owner: owner
        )
        let result: Result<GuardedResponse, GuardedFailure>
        do { result = .success(try await client.send(request)) } catch { result = .failure(error) }
        await client.close()
        return result
    }

    private func failure(_ result: Result<GuardedResponse, GuardedFailure>) -> GuardedFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test("is sent once, with its header and body, and the response is returned in full")
    func way() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let url = "http://some.localhost:\(server.port)/404"
        let response = try await ask(url, method: .post(Array("hello".utf8))).get()
        #expect(response.status == 404 && response.body == Array("well".utf8) && response.header("Retry-After") == "7")
        let request = try #require(try await server.requests(1).first)
        #expect(request.hasPrefix("POST /404 some.localhost:\(server.port) it hello "))
    }

    @Test("does not follow a redirect")
    func redirect() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let response = try await ask("http://127.0.0.1:\(server.port)/redirect").get()
        #expect(response.status == 302 && response.header("location") == "/elsewhere")
        let requests = try await server.requests(1)
        #expect(requests.count == 1)
    }

    @Test("accepts no response above its limit; if only the head counts, a longer body costs only the connection")
    func size() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let url = "http://127.0.0.1:\(server.port)/big"
        #expect(failure(try await ask(url, body: .read(maxBytes: 99_999))) == .tooLarge)
        #expect(try await ask(url, body: .read(maxBytes: 100_000)).get().body.count == 100_000)
        let drained = try await ask(url, body: .drained(maxBytes: 10)).get()
        #expect(drained.status == 200 && drained.body.isEmpty)
    }

    @Test("ends at its timeout, for any cause of the delay", arguments: ["hang", "driphead", "drip"])
    func slow(path: String) async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let url = "http://127.0.0.1:\(server.port)/\(path)"
        let read = try await ask(url, body: .read(maxBytes: 1_000_000), timeout: .milliseconds(400))
        #expect(failure(read) == .timeout)
        // A head that has arrived is a response; it must have the time for that.
        let timeout: Duration = path == "drip" ? .seconds(3) : .milliseconds(400)
        let drained = try await ask(url, body: .drained(maxBytes: 1_000_000), timeout: timeout)
        #expect(path == "drip" ? (try drained.get().status) == 200 : failure(drained) == .timeout)
    }

    @Test("ends at its timeout also when the system's lookup hangs, which its thread completes")
    func hangingLookUp() async throws {
        let hold = DispatchSemaphore(value: 0)
        let begun = Mutex<[String]>([])
        let threads = ResolverThreads(count: 16)
        let resolver = SystemResolver(threads: threads, atOnce: 16) { host in
            begun.withLock { $0.append(host) }
            hold.wait()
            return []
        }
        // Until each of the eight threads that one brand may use hangs.
        while begun.withLock({ $0.count }) < 8 {
            let result = try await ask(
                "https://held.example/",
                owner: "acme",
                timeout: .milliseconds(50),
                resolver: resolver
            )
            #expect(failure(result) == .timeout)
        }
        for _ in 0..<2 {
            let result = try await ask(
                "https://late.example/",
                owner: "acme",
                timeout: .milliseconds(50),
                resolver: resolver
            )
            #expect(failure(result) == .timeout)
        }
        // These two were cancelled and are not started: the ones after them are.
        for _ in 0..<20 { hold.signal() }
        _ = await resolver.addresses(of: "last.example", for: "acme")
        let hosts = begun.withLock { $0 }
        #expect(hosts == Array(repeating: "held.example", count: 8) + ["last.example"])
        threads.shutdown()
    }

    @Test("an unresolved name, a closed port and a broken connection are different errors")
    func failures() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        #expect(failure(try await ask("https://nobody.example/", resolver: TestResolver([]))) == .unresolved)
        #expect(failure(try await ask("http://127.0.0.1:\(server.port)/close")) == .unreachable)
        #expect(try await server.requests(1).count == 1)
        // Nothing listens at the next loopback address.
        #expect(failure(try await ask("http://127.0.0.2:\(server.port)/")) == .unreachable)
        #expect(server.requests.count == 1)
    }

    @Test("connects to the next address of a name when the first does not accept the connection")
    func nextAddress() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let url = "http://some.localhost:\(server.port)/"
        let resolver = TestResolver(["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1"])
        let response = try await ask(url, method: .post(Array("x".utf8)), resolver: resolver).get()
        #expect(response.status == 200 && resolver.asked == 1)
        // Four addresses are tried.
        let far = TestResolver(["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.1"])
        #expect(failure(try await ask(url, resolver: far)) == .unreachable)
        #expect(try await ask(url + "last").get().status == 200)
        let paths = try await server.requests(2).map { $0.split(separator: " ")[1] }
        #expect(paths == ["/", "/last"])
    }

    @Test("does not try another address after a connection was established")
    func sentOnce() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        // Both reach the server.
        let resolver = TestResolver(["127.0.0.1", "::ffff:127.0.0.1"])
        let url = "http://some.localhost:\(server.port)"
        #expect(failure(try await ask(url + "/close", resolver: resolver)) == .unreachable)
        let mapped = TestResolver(["::ffff:127.0.0.1"])
        #expect(try await ask(url + "/last", resolver: mapped).get().status == 200)
        let paths = try await server.requests(2).map { $0.split(separator: " ")[1] }
        #expect(paths == ["/close", "/last"])
    }

    @Test(
        "every address of a name is checked before a connection is opened to any",
        arguments: [
            (["8.8.8.8", "127.0.0.1"], false), (["8.8.8.8", "10.0.0.1"], false), (["169.254.169.254"], true),
            (["fd00::1"], false), (["::ffff:10.0.0.1"], false), (["127.0.0.1"], true),
        ]
    )
    func guarded(addresses: [String], allowsPrivate: Bool) async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let resolver = TestResolver(addresses)
        let result = try await ask(
            "https://innocent.example:\(server.port)/",
            resolver: resolver,
            policy: AddressPolicy(allowsPrivate: allowsPrivate, allowsLoopback: true)
        )
        #expect(failure(result) == .forbiddenAddress)
        #expect(server.requests.isEmpty && resolver.asked == 1)
    }

    @Test(
        "nothing is sent to this host if loopback is off, nor to the gateway's own port if it is on",
        arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1"]
    )
    func ownHost(address: String) async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let ownPorts = OwnPorts()
        let open = AddressPolicy(allowsLoopback: true, ownPorts: ownPorts)
        let client = GuardedHTTPClient(
            resolver: TestResolver([address]),
            policy: open,
            maxIdle: 0
        )
        // Parsed while the port was not the gateway's: the check at the connection counts.
        let request = GuardedRequest(
            url: try client.url("http://some.localhost:\(server.port)/"),
            method: .get,
            headers: [],
            responseBody: .read(maxBytes: 100),
            timeout: .seconds(20)
        )
        ownPorts.add(server.port)
        await #expect(throws: GuardedFailure.forbiddenAddress) { try await client.send(request) }
        await client.close()
        let closed = GuardedHTTPClient(
            resolver: TestResolver([address]),
            policy: AddressPolicy(),
            maxIdle: 0
        )
        await #expect(throws: GuardedFailure.forbiddenAddress) { try await closed.send(request) }
        await closed.close()
        #expect(server.requests.isEmpty)
    }

    @Test("a name server that responds differently the second time has no effect")
    func rebinding() async throws {
        let directory = try TemporaryDirectory()
        let server = try await PythonServer.start(in: directory)
        let client = GuardedHTTPClient(
            resolver: TestResolver(["127.0.0.1"], ["127.0.0.1"], ["10.0.0.1"]),
            policy: AddressPolicy(allowsLoopback: true),
            maxIdle: 2
        )
        let request = GuardedRequest(
            url: try client.url("http://a.localhost:\(server.port)/"),
            method: .get,
            headers: [],
            responseBody: .read(maxBytes: 10),
            timeout: .seconds(20)
        )
        #expect(try await client.send(request).status == 200)
        #expect(try await client.send(request).status == 200)
        await #expect(throws: GuardedFailure.forbiddenAddress) { try await client.send(request) }
        // The second request used the first one's connection.
        let ports = try await server.requests(2).map { $0.split(separator: " ").last }
        #expect(ports.count == 2 && ports[0] == ports[1])
        await client.close()
    }

    @Test("the TLS certificate must be for the name and from a trusted authority")
    func tls() async throws {
        let directory = try TemporaryDirectory()
        try await PythonServer.makeCertificates(in: directory)
        let roots = directory.path("ca.pem")
        let sound = try await PythonServer.start(.sound, in: directory)
        for host in ["localhost", "a.some.localhost", "127.0.0.1"] {
            let response = try await ask("https://\(host):\(sound.port)/", trusting: roots).get()
            #expect(response.status == 200)
        }
        #expect(failure(try await ask("https://localhost:\(sound.port)/")) == .tls)
        let names = try await PythonServer.start(.namesOnly, in: directory)
        #expect(try await ask("https://b.some.localhost:\(names.port)/", trusting: roots).get().status == 200)
        for host in ["a.b.some.localhost", "127.0.0.1"] {
            #expect(failure(try await ask("https://\(host):\(names.port)/", trusting: roots)) == .tls)
        }
        for kind in [PythonServer.Certificate.otherHost, .selfSigned] {
            let server = try await PythonServer.start(kind, in: directory)
            for host in ["localhost", "127.0.0.1"] {
                let result = try await ask("https://\(host):\(server.port)/", trusting: roots)
                #expect(failure(result) == .tls)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("a cancelled task returns at once")
    func cancelled() async throws {
        let hold = DispatchSemaphore(value: 0)
        let threads = ResolverThreads(count: 2)
        let resolver = SystemResolver(threads: threads, atOnce: 2) { _ in
            hold.wait()
            return []
        }
        let task = Task { try await ask("https://example.com/", timeout: .seconds(3600), resolver: resolver) }
        task.cancel()
        #expect(failure(try await task.value) == .timeout)
        hold.signal()
        threads.shutdown()
    }
}
