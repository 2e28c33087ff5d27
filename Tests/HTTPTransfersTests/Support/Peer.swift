import Foundation
import ProcessHarness
import Testing

/// A server in a child process that behaves as the path tells it.
struct Peer {
    /// The kinds of servers.
    enum Kind: String {
        /// HTTP/1.1 in Python.
        case plain
        /// The same over TLS.
        case secure
        /// The same over TLS 1.1, which is too old.
        case old
        /// HTTP/2 over TLS in Node.
        case http2
        /// An HTTP proxy that knows CONNECT and requires `user:secret`.
        case proxy
    }

    let port: Int
    private let process: ChildProcess

    /// Starts a server; `argument` is the name of a certificate, or the behaviour of a proxy.
    static func start(_ kind: Kind, _ argument: String = "", in directory: TemporaryDirectory) async throws -> Self {
        let isNode = kind == .http2
        let script = directory.path(isNode ? "peer.mjs" : "peer.py")
        try (isNode ? nodeProgram : pythonProgram).write(toFile: script, atomically: true, encoding: .utf8)
        let certificate = directory.path(argument)
        let process =
            isNode
            ? try ChildProcess("/usr/bin/env", ["node", script, certificate])
            : try ChildProcess("/usr/bin/python3", [script, kind.rawValue, kind == .proxy ? argument : certificate])
        let port = try #require(Int(try await process.line("listening on ")))
        return Peer(port: port, process: process)
    }

    /// Waits for a number of lines with a prefix and returns all such lines so far, without it.
    ///
    /// The prefixes are `> ` for requests, `opened ` and `closed ` for connections, and what else a path prints.
    @discardableResult
    func lines(_ prefix: String, _ count: Int) async throws -> [String] {
        try await process.lines(prefix, count: count).map { String($0.dropFirst(prefix.count)) }
    }

    /// Returns the number of lines with a prefix that have been read so far: what a response has caused may come later.
    func count(_ prefix: String) -> Int { process.output.count { $0.hasPrefix(prefix) } }

    /// The number of connections to the server that have a descriptor in this process.
    func connections() throws -> Int {
        // The system's table of connections may lack one while others come and go.
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutableBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { getpeername(Int32(name) ?? -1, $0.baseAddress, &size) }
            }
            let isKnown = result == 0 && Int32(address.sin_family) == AF_INET
            return isKnown && Int(UInt16(bigEndian: address.sin_port)) == port
        }
    }

    /// Creates an authority (`ca.pem`) and certificates: `sound` for `localhost`, `*.some.localhost` and 127.0.0.1,
    /// `other` for another host.
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
            issue other DNS:example.com
            echo made
            """
        let process = try ChildProcess("/bin/sh", ["-c", script])
        _ = try await process.line("made")
    }

    private static let pythonProgram = """
        import itertools, os, socket, ssl, sys, threading, time
        kind, argument = sys.argv[1:]
        numbers = itertools.count(1)
        gate = threading.Event()
        def say(*words): os.write(1, (" ".join(map(str, words)) + "\\n").encode())
        def head(stream):
            lines = []
            while (line := stream.readline()) not in (b"\\r\\n", b""): lines.append(line.decode("latin1").strip())
            return lines
        def forever(send, data, pause=0):
            while True: send(data); time.sleep(pause)
        def respond(connection, number):
            stream, send = connection.makefile("rb"), connection.sendall
            served = 0
            while lines := head(stream):
                method, path, _ = lines[0].split(" ")
                fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
                body = stream.read(int(fields.get("content-length", 0)))
                say(">", number, method, path)
                name, _, value = path[1:].partition("?")
                served += 1
                def answer(text, more="", status="200 OK"):
                    send(f"HTTP/1.1 {status}\\r\\nContent-Length: {len(text)}\\r\\n{more}\\r\\n".encode() + (text if method != "HEAD" else b""))
                if name == "echo": answer("\\n".join(lines).encode() + b"\\n\\n" + body, "X-One: 1\\r\\nx-two:  a:b \\r\\nX-ONE: 2\\r\\n")
                elif name == "big": answer(b"y" * int(value))
                elif name == "redirect": answer(b"", "Location: /elsewhere\\r\\nSet-Cookie: a=b\\r\\n", "302 Found")
                elif name == "interim": send(b"HTTP/1.1 103 Early Hints\\r\\nLink: </a>\\r\\n\\r\\n"); answer(b"late")
                elif name == "sni": answer(str(names.get(threading.get_ident())).encode())
                elif name == "hang": forever(time.sleep, 3600)
                elif name == "driphead": send(b"HTTP/1.1 200 OK\\r\\na: "); forever(send, b"b", 0.02)
                elif name == "drip": send(b"HTTP/1.1 200 OK\\r\\n\\r\\n"); forever(send, b"x", 0.02)
                elif name == "some": send(b"HTTP/1.1 200 OK\\r\\n\\r\\nsome"); forever(time.sleep, 3600)
                elif name == "endless": send(b"HTTP/1.1 200 OK\\r\\n\\r\\n"); forever(send, b"x" * 65536)
                elif name == "fields": send(b"HTTP/1.1 200 OK\\r\\n"); forever(send, b"a: b\\r\\n" * 100)
                elif name == "field": send(b"HTTP/1.1 200 OK\\r\\na: "); forever(send, b"x" * 1000)
                elif name == "interims": forever(send, b"HTTP/1.1 100 Continue\\r\\n\\r\\n" * 100)
                elif name == "trailers":
                    send(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n1\\r\\nx\\r\\n0\\r\\n"); forever(send, b"a: b\\r\\n" * 100)
                elif name == "close": return
                elif name == "cut": send(b"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nsome"); return
                elif name == "ssh": send(b"SSH-2.0-OpenSSH\\r\\n"); return
                elif name == "once":
                    if served > 1: return
                    answer(b"well")
                elif name == "wait": say("waiting"); gate.wait(); answer(b"well")
                elif name == "go": gate.set(); answer(b"well")
                elif name == "stall":
                    size, sent = int(value), 0
                    send(f"HTTP/1.1 200 OK\\r\\nContent-Length: {size}\\r\\n\\r\\n".encode())
                    connection.settimeout(0.5)
                    try:
                        while sent < size: sent += connection.send(b"z" * min(65536, size - sent))
                    except TimeoutError: say("stalled", sent)
                    connection.settimeout(None)
                    while sent < size: sent += connection.send(b"z" * min(65536, size - sent))
                else: answer(b"", status=(name + " Status"))
        def tunnel(connection, number):
            stream = connection.makefile("rb")
            lines = head(stream)
            if not lines: return
            say(">", number, " | ".join(lines))
            if argument == "close": return
            if argument == "silent": forever(time.sleep, 3600)
            if argument == "ssh": connection.sendall(b"SSH-2.0-OpenSSH\\r\\n"); forever(time.sleep, 3600)
            if argument == "403": connection.sendall(b"HTTP/1.1 403 Forbidden\\r\\nContent-Length: 0\\r\\n\\r\\n"); return
            if not any(line.lower() == "proxy-authorization: basic dxnlcjpzzwnyzxq=" for line in lines):
                connection.sendall(b"HTTP/1.1 407 Authenticate\\r\\nProxy-Authenticate: Basic realm=x\\r\\nContent-Length: 0\\r\\n\\r\\n")
                head(stream)
                return
            port = int(lines[0].split(" ")[1].rpartition(":")[2])
            back = socket.create_connection(("127.0.0.1", port))
            connection.sendall(b"HTTP/1.1 200 Connection established\\r\\n\\r\\n")
            def copy(source, target):
                try:
                    while data := source.recv(65536): target.sendall(data)
                except OSError: pass
                try: target.shutdown(socket.SHUT_RDWR)
                except OSError: pass
            thread = threading.Thread(target=copy, args=(back, connection)); thread.start()
            copy(connection, back); thread.join()
        names = {}
        context = None
        if kind in ("secure", "old"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            if kind == "old":
                context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
                context.set_ciphers("ALL:@SECLEVEL=0")
            context.load_cert_chain(argument + ".pem", argument + ".key")
            context.sni_callback = lambda _, name, __: names.__setitem__(threading.get_ident(), name)
        def serve(connection, number):
            say("opened", number)
            try:
                if context: connection = context.wrap_socket(connection, server_side=True)
                (tunnel if kind == "proxy" else respond)(connection, number)
            except OSError: pass
            say("closed", number)
            try: connection.shutdown(socket.SHUT_RDWR)
            except OSError: pass
            connection.close()
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        say("listening on", listener.getsockname()[1])
        while True: threading.Thread(target=serve, args=(listener.accept()[0], next(numbers)), daemon=True).start()
        """

    private static let nodeProgram = """
        import http2 from "node:http2"
        import fs from "node:fs"
        const path = process.argv[2]
        const server = http2.createSecureServer({ cert: fs.readFileSync(path + ".pem"), key: fs.readFileSync(path + ".key") })
        server.on("connection", socket => {
            console.log("opened connection")
            socket.on("close", () => console.log("closed connection"))
        })
        server.on("request", (request, response) => {
            console.log("> " + request.httpVersion + " " + request.method + " " + request.url)
            if (request.url == "/reset") return request.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)
            if (request.url == "/hang") return
            if (request.url == "/endless") {
                const more = () => { while (response.write("x".repeat(16384))); }
                response.on("drain", more); return more()
            }
            let size = 0
            request.on("data", data => size += data.length)
            request.on("end", () => {
                response.setHeader("x-test", request.headers["x-test"] ?? "none")
                response.addTrailers({ "x-late": "1" })
                response.end(request.httpVersion + " " + request.authority + " " + size)
            })
        })
        server.on("sessionError", () => {})
        server.listen(0, "127.0.0.1", () => console.log("listening on " + server.address().port))
        """
}
