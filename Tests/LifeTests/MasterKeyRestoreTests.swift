import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// No restore, and no instruction to an operator about one, loses a key that some data still needs.
@Suite("Master keys at a restore", .timeLimit(.minutes(10)))
struct MasterKeyRestoreTests: MasterKeyTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Creates data whose key was changed after a backup.
    private func rotated() async throws -> (backup: String, old: Data, new: Data) {
        try await prepare()
        let old = try key()
        let backup = directory.path("backup.sqlite")
        #expect(try await run(["backup", backup, "--data-dir", data]).status == .ok)
        _ = try await rotate()
        return (backup, old, try key())
    }

    private func restore(_ file: String) async throws -> JSONValue {
        let result = try await run(["restore", file, "--data-dir", data, "--force", "--json"])
        #expect(result.status == .ok, "\(result.errors)")
        return try JSONValue(parsing: Data((result.output.first ?? "null").utf8))
    }

    @Test("the fitting key is put in place with the mode of the previous one, which is kept")
    func swapped() async throws {
        let (backup, old, new) = try await rotated()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: data + "/master-key")
        let report = try await restore(backup)
        #expect(try key() == old)
        #expect(try kept("before-restore") == [new])
        #expect(report["masterKeyKeptAside"].plain.hasPrefix(data + "/master-key.before-restore-"))
        let attributes = try FileManager.default.attributesOfItem(atPath: data + "/master-key")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        // Once more, now that the key fits: it stays, and both databases are kept.
        let again = try await restore(backup)
        #expect(again["masterKeyKeptAside"] == .null && again["keptAside"] != report["keptAside"])
        #expect(try key() == old)
        let check = try await run(["check", "--data-dir", data])
        #expect(check.status == .ok && check.errors.isEmpty, "\(check.errors)")

        _ = try await restore(report["keptAside"].plain)
        #expect(try key() == new && sealed(with: new) == 1)
    }

    @Test(
        "files of an interrupted rotation are kept too",
        arguments: ["?link,?linkat", "?rename,?renameat,?renameat2"]
    )
    func leftovers(cutAt calls: String) async throws {
        let (backup, old, new) = try await rotated()
        try #require(try await killRotation(at: calls))
        let cut = try key("master-key.new")
        let sealing = try sealed(with: cut) == 1 ? cut : new
        let report = try await restore(backup)
        #expect(try key() == old)
        _ = try await rotate()
        let all = try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.hasPrefix("master-key") }
        let keys = Set(try all.map { try key($0) })
        #expect(keys.isSuperset(of: [old, new, cut]), "\(all)")
        // The data from before the restore opens again.
        _ = try await restore(report["keptAside"].plain)
        #expect(try key() == sealing && sealed(with: sealing) == 1)
        #expect(try await run(["check", "--data-dir", data]).status == .ok)
    }

    @Test("if the key cannot be put in place, no message says to overwrite the current one")
    func notSwapped() async throws {
        let (backup, _, new) = try await rotated()
        // A directory that prevents the creation of the new file.
        try FileManager.default.createDirectory(atPath: data + "/master-key.new", withIntermediateDirectories: false)
        for verb in [["restore", backup, "--force"], ["check"], ["serve", "--listen", "127.0.0.1:0"]] {
            let result = try await run(verb + ["--data-dir", data])
            #expect(result.status == .masterKey)
            #expect(
                result.errors.contains("before-rotation-")
                    && result.errors.contains("move \(data)/master-key to another")
            )
            #expect(try key() == new)
        }
    }

    @Test("the master key is read by the process that holds the data's lock", arguments: ["serve", "restore"])
    func readUnderLock(verb: String) async throws {
        try await prepare()
        let backup = directory.path("backup.sqlite")
        #expect(try await run(["backup", backup, "--data-dir", data]).status == .ok)
        let arguments = verb == "serve" ? ["--listen", "127.0.0.1:0"] : [backup, "--force"]
        let (tracer, process) = try await hold(
            [verb, "--data-dir", data] + arguments,
            at: "openat",
            path: data + "/master-key"
        )
        let lock = open(data + "/switchboard.sqlite.lock", O_RDWR | O_CLOEXEC)
        try #require(lock >= 0)
        let isHeld = flock(lock, LOCK_EX | LOCK_NB) != 0
        close(lock)
        #expect(isHeld)
        Foundation.kill(process, SIGCONT)
        if verb == "serve" {
            _ = try await tracer.line("listening on")
            Foundation.kill(process, SIGTERM)
        }
        let exit = try await tracer.ended()
        #expect(exit == .init(status: 0, isSignal: false), "\(tracer.errors)")
    }

    @Test("a new key is on disk under its name before anything is encrypted with it")
    func newKeySynced() async throws {
        let trace = directory.path("trace")
        let tracer = try ChildProcess(
            "/usr/bin/env",
            [
                "strace", "-f", "-yy", "-o", trace, "-e", "trace=execve,?link,?linkat,fsync,listen",
                ChildProcess.binaries.appending(path: "switchboard").path(), "serve", "--listen", "127.0.0.1:0",
                "--data-dir", data,
            ]
        )
        _ = try await tracer.line("listening on")
        let lines = try String(contentsOfFile: trace, encoding: .isoLatin1).split(separator: "\n").map(String.init)
        // The thread of a later line may have ended by now; the one that executed the program is the process.
        let first = try #require(lines.first { $0.contains(" execve(") })
        let process = try #require(first.split(separator: " ").first.flatMap { Int32($0) })
        #expect(kill(process, SIGTERM) == 0)
        #expect(try await tracer.ended().status == 0)
        for name in ["admin-token", "master-key"] {
            let linked = try #require(lines.firstIndex { $0.contains("link") && $0.contains("/\(name)\"") })
            let next = lines[(linked + 1)...].first
            #expect(next?.contains("fsync(") == true && next?.contains("/data>") == true, "\(lines)")
        }
    }
}
