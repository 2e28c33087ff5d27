import Foundation
import ProcessHarness
import Testing

/// A server in Python that behaves as the path tells it, over TLS with certificates of its own authority, or without.
struct PythonServer {
    let port: Int
    private let process: ChildProcess

    /// The certificate of the server.
    enum Certificate: String {
        /// Issued by the authority for `localhost`, `*.some.localhost` and 127.0.0.1.
        case sound
        /// The same without the address.
        case namesOnly
        /// Issued by the authority for another host.
        case otherHost
        case selfSigned
    }

    /// Starts a server.
    static func start(_ certificate: Certificate? = nil, in directory: TemporaryDirectory) async throws -> Self {
        let script = directory.path("server.py")
        try program.write(toFile: script, atomically: true, encoding: .utf8)
        let process = try ChildProcess("/usr/bin/python3", [script, directory.path(certificate?.rawValue ?? "")])
        let port = try #require(Int(try await process.line("listening on ")))
        return PythonServer(port: port, process: process)
    }

    /// Returns the requests when the given number has come: method, path, host, header fields of interest and body.
    func requests(_ count: Int) async throws -> [String] {
        _ = try await process.lines("> ", count: count, within: .seconds(540))
        return process.output.filter { $0.hasPrefix("> ") }.map { String($0.dropFirst(2)) }
    }

    /// The requests so far.
    var requests: [String] { process.output.filter { $0.hasPrefix("> ") } }

    /// Creates the authority (`ca.pem`) and the certificates.
    static func makeCertificates(in directory: TemporaryDirectory) async throws {
        let script = """
            set -e; cd \(directory.path(""))
            K="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
            openssl req -x509 $K -keyout ca.key -out ca.pem -subj /CN=ours -addext keyUsage=critical,keyCertSign 2>/dev/null
            issue() {
              openssl req $K -keyout $1.key -out $1.csr -subj /CN=$1 2>/dev/null
              echo "subjectAltName=$2" > $1.ext
              openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $1.ext -out $1.pem 2>/dev/null
            }
            issue sound DNS:localhost,DNS:*.some.localhost,IP:127.0.0.1
            issue namesOnly DNS:localhost,DNS:*.some.localhost
            issue otherHost DNS:example.com
            openssl req -x509 $K -keyout selfSigned.key -out selfSigned.pem -subj /CN=localhost \
              -addext subjectAltName=DNS:localhost 2>/dev/null
            echo made
            """
        let process = try ChildProcess("/bin/sh", ["-c", script])
        _ = try await process.line("made")
    }

    private static let program = """
        import http.server, os, socket, ssl, sys, time
        class Server(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
                print(">", self.command, self.path, self.headers["host"], self.headers["x-test"], body, self.client_address[1],
                    flush=True)
                what = self.path[1:]
                if what == "hang": time.sleep(3600)
                if what in ("drip", "driphead"):
                    head = b"HTTP/1.1 200 OK\\r\\ncontent-length: 100000\\r\\n\\r\\n"
                    if what == "drip": self.wfile.write(head)
                    for byte in head + b"x" * 100000:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(0.02)
                    return
                if what == "close":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                answer = b"y" * 100000 if what == "big" else b"well"
                self.send_response(302 if what == "redirect" else int(what) if what.isdigit() else 200)
                if what == "redirect": self.send_header("location", "/elsewhere")
                self.send_header("retry-after", "7")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                try: self.wfile.write(answer)
                except OSError: pass
            do_GET = do_POST
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        certificate = sys.argv[1]
        if os.path.isfile(certificate + ".pem"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate + ".pem", certificate + ".key")
            server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None
        print("listening on", server.server_port, flush=True)
        server.serve_forever()
        """
}
