import Foundation
import ProcessHarness

/// Node's own server as APNs: it accepts any push, and prints it.
struct NodeServer {
    /// The behaviour of the server.
    enum Mode: String, Sendable {
        /// GOAWAY at every 100th request, which is not processed, as are all later ones on the connection.
        case goAway = "goaway"
        /// REFUSED_STREAM for every tenth request.
        case refusedStream = "refused-stream"
        /// HTTP/1.1 over TLS.
        case http1
    }

    /// The arguments are the mode, key and certificate; it prints its port, then `session` for each connection and the
    /// path of each push that it accepts.
    private static let script = """
        const [mode, key, cert] = process.argv.slice(1);
        const fs = require('fs');
        const options = { key: fs.readFileSync(key), cert: fs.readFileSync(cert) };
        const constants = require('http2').constants;
        let count = 0;
        function push(stream, headers) {
            const session = stream.session;
            stream.on('error', () => {});
            if (session.last !== undefined && stream.id > session.last) return;
            count += 1;
            if (mode === 'goaway' && count % 100 === 0) {
                session.last = stream.id - 2;
                session.goaway(constants.NGHTTP2_NO_ERROR, session.last);
                return;
            }
            if (mode === 'refused-stream' && count % 10 === 0) {
                return stream.close(constants.NGHTTP2_REFUSED_STREAM);
            }
            stream.resume();
            stream.on('end', () => {
                console.log('took ' + headers[':path']);
                stream.respond({ ':status': 200, 'apns-id': headers['apns-id'] }, { endStream: true });
            });
        }
        const server = mode === 'http1'
            ? require('https').createServer(options, (request, response) => response.end())
            : require('http2').createSecureServer(options)
                .on('stream', push).on('sessionError', () => {}).on('session', () => console.log('session'));
        server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));
        """

    private let process: ChildProcess
    /// Its port on the loopback address.
    let port: Int

    /// Starts the server with PEM files of its private key and certificate; its process ends when the last reference to
    /// the server is released.
    static func start(_ mode: Mode, key: String, certificate: String) async throws -> NodeServer {
        let process = try ChildProcess("/usr/bin/env", ["node", "-e", script, mode.rawValue, key, certificate])
        guard let port = Int(try await process.line("port ", within: .seconds(20))) else {
            throw HarnessError("node printed no port")
        }
        return NodeServer(process: process, port: port)
    }

    /// The number of connections that were opened.
    var connections: Int { process.output.count { $0 == "session" } }

    /// The device tokens of the pushes that it accepted, in order.
    var tokens: [String] {
        process.output.compactMap { line in
            line.hasPrefix("took /3/device/") ? String(line.dropFirst("took /3/device/".count)) : nil
        }
    }
}
