import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("A host that runs out of resources", .timeLimit(.minutes(10)))
struct HostFaultTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns the response of readiness; nil while there is none.
    private func notReady(_ fixture: GatewayFixture) async -> String? {
        let response = try? await fixture.gateway.admin.exchange("GET", ["readyz"])
        guard let response, response.status == 503, response.retryAfter != nil else { return nil }
        return response.body["detail"].string
    }

    private func limitDescriptors(_ fixture: GatewayFixture, _ soft: Int) async throws {
        let limit = try ChildProcess(
            "/usr/bin/env",
            ["prlimit", "--pid", "\(fixture.gateway.process.id)", "--nofile=\(soft):"]
        )
        #expect(try await limit.ended().status == 0, "\(limit.errors)")
    }

    @Test(
        "too few descriptors: not ready and events rejected, with the reason; ready again automatically with more"
    )
    func descriptors() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        #expect(try await fixture.post("before").status == 202)
        let listing = "/proc/\(fixture.gateway.process.id)/fd"
        var limit = 0
        try await fixture.wait(for: "not ready") {
            // Descriptors of the start may have been closed since the last check.
            let open = Set(try FileManager.default.contentsOfDirectory(atPath: listing).compactMap(Int.init))
            // The limit is on descriptor numbers: twelve free ones are below it.
            limit = try #require((0...).lazy.filter { !open.contains($0) }.dropFirst(12).first { _ in true })
            try await limitDescriptors(fixture, limit)
            return await notReady(fixture) == "The gateway has no file descriptor left."
        }
        // While the gateway counts free descriptors it uses them for a moment, and the system may reject a connection.
        var refused: APIClient.Response?
        try await fixture.wait(for: "a refusal") {
            refused = try? await fixture.post("during")
            return refused != nil
        }
        #expect(refused?.status == 503 && refused?.retryAfter != nil && refused?.body["retryable"] == .bool(true))
        try await fixture.wait(for: "life") {
            (try? await fixture.gateway.admin.exchange("GET", ["livez"]))?.status == 200
        }
        let line = try await fixture.gateway.process.errorLine("events are rejected until the host has")
        #expect(line.contains("fileDescriptorsExhausted") && line.contains(#""level":"error""#))
        #expect(
            try await fixture.metrics(#"switchboard_machine_fault{fault="fileDescriptorsExhausted"}"#).first?.hasSuffix(
                " 1"
            ) == true
        )

        // Clients need more than there are: further connections are rejected, and the listener and the process stay.
        let script = """
            import signal,socket
            s=[socket.create_connection(("127.0.0.1",\(fixture.gateway.port))) for _ in range(30)]
            print("open",flush=True)
            signal.pause()
            """
        let crowd = try ChildProcess("/usr/bin/env", ["python3", "-c", script])
        _ = try await crowd.line("open")
        crowd.signal(SIGKILL)
        try await crowd.ended()

        try await limitDescriptors(fixture, limit + 1000)
        try await fixture.wait(for: "ready") { (try? await fixture.readiness()) == 200 }
        _ = try await fixture.gateway.process.errorLine("a resource fault of the host is over")
        #expect(try await fixture.post("during").status == 202)
        #expect(try await fixture.unread() == 2)
        #expect(fixture.gateway.process.errors.filter { $0.contains("events are rejected until") }.count == 1)
        #expect(try await fixture.gateway.process.stop().status == 0)
    }

    @Test("busy clients that need all descriptors at once do not end the process")
    func descriptorsUnderLoad() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        // libdispatch looks after its threads about once a second while they are busy, and needs a descriptor for it.
        let script = """
            import os, resource, socket, threading, time
            pid, address = \(fixture.gateway.process.id), ("127.0.0.1", \(fixture.gateway.port))
            end = time.monotonic() + 6
            answers, most = [0] * 12, 0
            answered = threading.Barrier(len(answers) + 1)
            def call(place, caller):
                while time.monotonic() < end:
                    caller.sendall(b"GET /livez HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n" * 20)
                    text = b""
                    while text.count(b"HTTP/1.1 200") < 20:
                        part = caller.recv(65536)
                        if not part:
                            raise SystemExit("the gateway closed a connection")
                        text += part
                    if answers[place] == 0:
                        answered.wait(5)
                    answers[place] += 20
            callers = [socket.create_connection(address) for _ in answers]
            threads = [threading.Thread(target=call, args=each) for each in enumerate(callers)]
            for thread in threads: thread.start()
            answered.wait(5)
            taken = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
            free = [number for number in range(1000) if number not in taken]
            hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (free[12], hard))
            while time.monotonic() < end:
                crowd = [socket.create_connection(address) for _ in range(60)]
                most = max(most, len(os.listdir(f"/proc/{pid}/fd")) - len(taken))
                for caller in crowd: caller.close()
            for thread in threads: thread.join()
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (1000, hard))
            print("answers", min(answers), "most", most, flush=True)
            """
        let callers = try ChildProcess("/usr/bin/env", ["python3", "-c", script])
        guard try await callers.ended().status == 0, let numbers = callers.output.last else {
            fixture.gateway.process.signal(SIGTERM)
            let end = try await fixture.gateway.process.ended()
            Issue.record("\(callers.errors); the gateway: \(end), \(fixture.gateway.process.errors.suffix(5))")
            return
        }
        let words = numbers.split(separator: " ").map { Int($0) ?? -1 }
        try #require(words.count == 4, "\(numbers)")
        #expect(words[1] > 0, "each client gets a response")
        // Clients get 4 of the 12, at most 4 more are accepted before the first of them is rejected, and the process
        // briefly opens one to count free descriptors or check its threads.
        #expect(words[3] <= 10, "some stay for the process itself")
        try await fixture.wait(for: "ready") { (try? await fixture.readiness()) == 200 }
        #expect(try await fixture.gateway.process.stop().status == 0)
    }

    @Test("too little disk space: not ready and events rejected, with the reason; accepted events are delivered")
    func diskSpace() async throws {
        let first = try await GatewayFixture.start(in: directory)
        #expect(try await first.post("before").status == 202)
        #expect(try await first.gateway.process.stop().status == 0)
        let fixture = try await first.restarted(["SWITCHBOARD_STORAGE_MIN_FREE_MEGABYTES": "1000000000"])
        #expect(await notReady(fixture) == "The gateway's disk is nearly full.")
        let refused = try await fixture.post("during")
        #expect(refused.status == 503 && refused.retryAfter == 30 && refused.body["code"].string == "overloaded")
        #expect(try await fixture.gateway.process.errorLine("events are rejected until").contains("minFreeMegabytes"))
        #expect(
            try await fixture.metrics(#"switchboard_machine_fault{fault="diskSpaceLow"}"#).first?.hasSuffix(" 1")
                == true
        )
        #expect(try await fixture.unread() == 1, "what is there can be read")
        #expect(try await fixture.gateway.process.stop().status == 0)
        let again = try await fixture.restarted()
        #expect(try await again.readiness() == 200)
        #expect(try await again.post("during").status == 202)
        #expect(try await again.gateway.process.stop().status == 0)
    }

    @Test("a low limit of descriptors reduces the number of connections, with a log line")
    func lowLimit() async throws {
        let script = "ulimit -n 400; exec \"$@\""
        let gateway = try ChildProcess(
            "/usr/bin/env",
            [
                "bash", "-c", script, "bash", ChildProcess.binaries.appending(path: "switchboard").path(), "serve",
                "--listen", "127.0.0.1:0", "--data-dir", directory.path("data"),
            ]
        )
        _ = try await gateway.line("listening on ")
        let line = try await gateway.errorLine("server.maxConnections is reduced")
        #expect(line.contains(#""limit":"400""#) && line.contains(#""count":"200""#), "\(line)")
        #expect(try await gateway.stop().status == 0)
    }
}
