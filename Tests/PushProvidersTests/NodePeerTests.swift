import Cryptography
import Foundation
import GatewayModel
import PushProviders
import TestSupport
import Testing

/// Interoperability with Node, which shares no code with us: it must accept our pushes and verify our tokens.
@Suite(.timeLimit(.minutes(10))) struct NodePeerTests {
    /// Prints its port, then one line of JSON for each push.
    private static let script = """
        const http2 = require('http2'), fs = require('fs'), crypto = require('crypto');
        const [key, certificate, publicKey] = process.argv.slice(1).map(file => fs.readFileSync(file));
        const server = http2.createSecureServer({ key, cert: certificate });
        server.on('stream', (stream, headers) => {
            const parts = [];
            stream.on('data', part => parts.push(part));
            stream.on('end', () => {
                const token = headers.authorization.slice('bearer '.length).split('.');
                const verified = crypto.verify('sha256', Buffer.from(token[0] + '.' + token[1]),
                    { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(token[2], 'base64url'));
                const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
                console.log(JSON.stringify({ path: headers[':path'], topic: headers['apns-topic'], verified, body,
                    sensitive: headers[http2.sensitiveHeaders] || [] }));
                stream.respond({ ':status': 200, 'apns-id': headers['apns-id'] });
                stream.end();
            });
        });
        server.listen(0, '127.0.0.1', () => console.log(server.address().port));
        """

    @Test("Node's http2 server accepts our pushes and verifies our token")
    func node() async throws {
        let key = P256.PrivateKey()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("node-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var files: [String] = []
        for (name, text) in [
            ("key", TestCertificates.leafKey), ("certificate", TestCertificates.leaf),
            ("public", key.publicKey.pemRepresentation),
        ] {
            let file = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            files.append(file.path)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["node", "-e", Self.script] + files
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer {
            // Not SIGTERM: a thread of a test may have it blocked, and its children inherit that.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let lines = Mailbox<String>()
        let handle = output.fileHandleForReading
        // On a separate thread: `readabilityHandler` cannot be ended safely on Linux.
        Thread.detachNewThread {
            var partial = ""
            while true {
                let data = handle.availableData
                guard !data.isEmpty else { return }
                // A line may arrive in chunks.
                partial += String(decoding: data, as: UTF8.self)
                let pieces = partial.split(separator: "\n", omittingEmptySubsequences: false)
                partial = String(pieces.last ?? "")
                for line in pieces.dropLast() { lines.put(String(line)) }
            }
        }
        let port = try #require(Int(await lines.next()))

        try await Harness.factory { factory, _ in
            let source = TestSource()
            let provider = try factory.make(
                lane: TestMessages.lane(.apns),
                app: TestMessages.apns(key: key, port: port),
                brand: TestMessages.brand,
                source: source
            )
            source.add(20, message: TestMessages.message { $0.text = "größe 😀 \"quoted\"\n" })
            provider.wake()
            let responses = await source.responses.take(20)
            #expect(responses.allSatisfy { $0.response.status == 200 })
            var paths: Set<String> = []
            for _ in 0..<20 {
                let line = await lines.next()
                let push = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
                )
                paths.insert(push["path"] as? String ?? "")
                #expect(push["verified"] as? Bool == true)
                #expect(push["topic"] as? String == "com.example.app")
                #expect((push["sensitive"] as? [String])?.contains("authorization") == true)
                let aps = (push["body"] as? NSDictionary)?["aps"] as? NSDictionary
                #expect((aps?["alert"] as? NSDictionary)?["body"] as? String == "größe 😀 \"quoted\"\n")
            }
            #expect(paths.count == 20)
            await provider.shutdown(within: .zero)
        }
    }
}
