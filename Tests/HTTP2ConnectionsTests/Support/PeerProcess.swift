import Foundation
import TLS
import TestSupport

/// A program as the peer, with files for its certificate.
final class PeerProcess: Sendable {
    enum Failure: Error {
        case missing(String)
    }

    let lines = Mailbox<String>()
    private let process: Process
    private let folder: URL

    /// Starts `/usr/bin/env NAME`; `{key}`, `{certificate}`, `{authority}` and `{folder}` in arguments become paths.
    ///
    /// A missing program throws: an independent peer must not be skipped silently.
    init(_ name: String, _ arguments: [String], identity: TLSIdentity, authority: [UInt8] = []) throws {
        let paths = ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { $0 + name }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Failure.missing(name)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = [
            ("key", identity.privateKeyPEM), ("certificate", identity.certificateChainPEM), ("authority", authority),
        ]
        var filled = arguments.map { $0.replacingOccurrences(of: "{folder}", with: folder.path) }
        for (label, content) in files {
            let file = folder.appendingPathComponent(label + ".pem")
            try Data(content).write(to: file)
            filled = filled.map { $0.replacingOccurrences(of: "{\(label)}", with: file.path) }
        }
        let process = Process()
        self.process = process
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = filled
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let lines = lines
        try process.run()
        let handle = output.fileHandleForReading
        // On a separate thread: `readabilityHandler` cannot be ended safely on Linux.
        Thread.detachNewThread {
            while true {
                let data = handle.availableData
                // Otherwise a test whose program could not start would wait for a line for ever.
                guard !data.isEmpty else { return lines.put("the program has ended") }
                for line in String(decoding: data, as: UTF8.self).split(separator: "\n") { lines.put(String(line)) }
            }
        }
    }

    /// Suspends the program without closing its sockets.
    func freeze() {
        kill(process.processIdentifier, SIGSTOP)
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
