import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Following deliveries, and servers that are not gateways", .timeLimit(.minutes(10)))
struct FollowTests {
    /// A server with Python's own library, independent of our code.
    ///
    /// Each connection to `tail` gets two events after the `Last-Event-ID` and is closed; the fourth gets an error
    /// once.
    private static let script = #"""
        import http.server, json, sys
        calls = []
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *a): pass
            def answer(self, status, kind, body):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                if "/html/" in self.path:
                    return self.answer(502 if "bad" in self.path else 200, "text/html; charset=utf-8", b"<html>proxy</html>")
                if "/plain/" in self.path:
                    return self.answer(200, "application/json", b'{"items":[]}')
                if self.headers["Authorization"] != "Bearer " + "t" * 40:
                    problem = {"code": "unauthorized", "detail": "no", "requestId": "r"}
                    return self.answer(401, "application/problem+json", json.dumps(problem).encode())
                last = int(self.headers.get("Last-Event-ID") or 0)
                calls.append(last)
                print("call", len(calls), "after", last, "accept", self.headers["Accept"], self.path, flush=True)
                if len(calls) == 2:
                    problem = {"code": "overloaded", "detail": "wait", "requestId": "r"}
                    return self.answer(503, "application/problem+json", json.dumps(problem).encode())
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(b": hello\n\nretry: 10\n\n")
                for number in (last + 1, last + 2):
                    item = {"id": str(number), "state": "accepted", "consumer": "u-1"}
                    self.wfile.write(b"id: %d\ndata: %s\n\n" % (number, json.dumps(item).encode()))
                self.close_connection = True
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("port", server.server_address[1], flush=True)
        server.serve_forever()
        """#

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func server() async throws -> (process: ChildProcess, url: String) {
        let path = directory.path("server.py")
        try Self.script.write(toFile: path, atomically: true, encoding: .utf8)
        let process = try ChildProcess("/usr/bin/python3", [path])
        return (process, "http://127.0.0.1:\(try await process.line("port "))")
    }

    private func verb(_ url: String, _ arguments: [String], token: String = String(repeating: "t", count: 40)) throws
        -> ChildProcess
    {
        try ChildProcess(
            "switchboard",
            arguments + ["--server", url],
            environment: ["SWITCHBOARD_ADMIN_TOKEN": token]
        )
    }

    @Test("a broken stream continues after the last event, and an interrupt ends it without an error")
    func reconnects() async throws {
        let (python, url) = try await server()
        let follow = try verb(url, ["deliveries", "acme", "--follow", "--json", "--state", "accepted"])
        // Two connections of two events each, with an error response between them.
        _ = try await follow.line(#"{"consumer":"u-1","id":"4""#)
        let calls = try await python.lines("call", count: 3).prefix(3)
        #expect(calls.map { $0.split(separator: " ")[3] } == ["0", "2", "2"])
        #expect(
            calls.allSatisfy {
                $0.contains("accept text/event-stream") && $0.contains("/deliveries/tail?state=accepted")
            }
        )
        let ids = try follow.output.prefix(4).map { try JSONValue(parsing: Data($0.utf8))["id"].plain }
        #expect(ids == ["1", "2", "3", "4"])
        #expect(try await follow.errorLine("503 overloaded").contains("trying again"))
        follow.signal(SIGINT)
        #expect(try await follow.ended() == .init(status: 0, isSignal: false))
        #expect(follow.errors.allSatisfy { $0.hasPrefix("switchboard: ") })
    }

    @Test("an error response ends it with one line")
    func refused() async throws {
        let (python, url) = try await server()
        defer { withExtendedLifetime(python) {} }
        let wrong = try verb(url, ["deliveries", "acme", "--follow"], token: String(repeating: "x", count: 40))
        #expect(try await wrong.ended().status == 1)
        #expect(wrong.errors.count == 1 && wrong.errors.joined().contains("401 unauthorized"))
        #expect(wrong.output.isEmpty)
    }

    @Test("a response that is not from a gateway is reported in one line")
    func foreign() async throws {
        let (python, url) = try await server()
        defer { withExtendedLifetime(python) {} }
        for (arguments, part) in [
            (["brand", "list", "--server", url + "/html"], "responded 200 with text/html"),
            (["brand", "list", "--server", url + "/html/bad"], "responded 502 with text/html"),
            (["deliveries", "acme", "--follow", "--server", url + "/html"], "responded 200 with text/html"),
            (["deliveries", "acme", "--follow", "--server", url + "/plain"], "responded 200 with application/json"),
        ] {
            let verb = try ChildProcess(
                "switchboard",
                arguments,
                environment: ["SWITCHBOARD_ADMIN_TOKEN": String(repeating: "t", count: 40)]
            )
            #expect(try await verb.ended().status == 1)
            #expect(verb.output.isEmpty)
            #expect(verb.errors.count == 1 && verb.errors.joined().contains(part), "\(verb.errors)")
        }
        let nobody = try verb("http://127.0.0.1:1", ["deliveries", "acme", "--follow"])
        #expect(try await nobody.ended().status == 1)
        #expect(nobody.errors.count == 1 && nobody.errors.joined().contains("no response from"), "\(nobody.errors)")
    }
}
