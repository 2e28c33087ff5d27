import Foundation
import ProcessHarness
import Testing

/// A receiver in Python with a scripted behaviour for each request; it verifies signatures with its own code.
struct ReceiverProcess: Sendable {
    /// The report of one request.
    struct Request: Decodable, Equatable {
        var path: String
        var id: String
        var host: String
        var brand: String
        var gap: Bool
        var positions: [Int64]
        /// The number of signatures.
        var given: Int
        /// The indices of the keys whose signatures were valid, in order.
        var signed: [Int]
    }

    private let process: ChildProcess
    let port: Int

    /// Starts a receiver.
    ///
    /// - Parameters:
    ///   - behaviours: The behaviour for the first requests, in order; all later ones are accepted.
    ///   - keys: The keys that it verifies with.
    ///   - directory: The directory for its program.
    /// - Returns: A receiver that listens.
    /// - Throws: When it does not start.
    static func start(_ behaviours: [String], keys: [[UInt8]], in directory: TemporaryDirectory) async throws -> Self {
        let script = directory.path("receiver-\(UUID().uuidString).py")
        try program.write(toFile: script, atomically: true, encoding: .utf8)
        let secrets = keys.map { Data($0).base64EncodedString() }
        let arguments = [script, behaviours.joined(separator: ","), secrets.joined(separator: ",")]
        let process = try ChildProcess("/usr/bin/python3", arguments)
        let port = try #require(Int(try await process.line("listening on ")))
        return ReceiverProcess(process: process, port: port)
    }

    /// Returns all requests when the given number has come: the report of one may be printed after its response.
    ///
    /// - Parameter count: The expected number.
    /// - Returns: The requests.
    /// - Throws: When the number differs.
    func requests(_ count: Int) async throws -> [Request] {
        _ = try await process.lines("{", count: count, within: .seconds(540))
        let requests = requests
        try #require(requests.count == count)
        return requests
    }

    /// The requests so far.
    var requests: [Request] {
        process.output.filter { $0.hasPrefix("{") }.compactMap {
            try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }

    private static let program = """
        import base64, hashlib, hmac, http.server, json, socket, sys, threading, time
        behaviours = [b for b in sys.argv[1].split(",") if b]
        keys = [base64.b64decode(k) for k in sys.argv[2].split(",")]
        class Receiver(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                batch, stamp = self.headers["webhook-id"], self.headers["webhook-timestamp"]
                given = self.headers["webhook-signature"].split(" ")
                text = (batch + "." + stamp + ".").encode() + body
                codes = ["v1," + base64.b64encode(hmac.new(k, text, hashlib.sha256).digest()).decode() for k in keys]
                value = json.loads(body)
                assert self.headers["content-type"] == "application/json"
                print(json.dumps({"path": self.path, "id": batch, "host": self.headers["host"], "brand": value.get("brand", ""),
                    "gap": value.get("gap", False), "positions": [i["position"] for i in value["items"]],
                    "given": len(given), "signed": [n for n, c in enumerate(codes) if c in given]}), flush=True)
                what = behaviours.pop(0) if behaviours else "204"
                if what == "hang": time.sleep(3600)
                if what == "close":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                if what == "drip":
                    for byte in b"HTTP/1.1 200 OK\\r\\ncontent-length: 200000\\r\\n\\r\\n" + b"x" * 200000:
                        self.wfile.write(bytes([byte]))
                        time.sleep(0.01)
                    return
                if what == "garbage":
                    self.wfile.write(b"no http at all\\r\\n\\r\\n")
                    self.close_connection = True
                    return
                answer = b"x" * 3000000 if what == "big" else b""
                status = 200 if what == "big" else int(what.split(":")[0])
                self.send_response(status)
                if status == 302: self.send_header("location", "/elsewhere")
                if ":" in what: self.send_header("retry-after", what.split(":")[1])
                if status != 204: self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
            do_GET = do_POST
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        print("listening on", server.server_port, flush=True)
        server.serve_forever()
        """
}
