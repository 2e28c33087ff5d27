import Foundation
import ProcessHarness
import Testing

@testable import switchboard

/// No restore, and nothing that an operator is told to do about one, loses a key that some data still needs.
@Suite("Master keys at a restore", .timeLimit(.minutes(3)))
struct MasterKeyRestoreTests: MasterKeyTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("the master key is read by who holds the data's lock", arguments: ["serve", "restore"])
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

    @Test("a new key is on disk under its name before anything is sealed with it")
    func newKeySynced() async throws {
        let trace = directory.path("trace")
        let tracer = try ChildProcess(
            "/usr/bin/env",
            [
                "strace", "-f", "-yy", "-o", trace, "-e", "trace=?link,?linkat,fsync,listen",
                ChildProcess.binaries.appending(path: "switchboard").path(), "serve", "--listen", "127.0.0.1:0",
                "--data-dir", data,
            ]
        )
        _ = try await tracer.line("listening on")
        let lines = try String(contentsOfFile: trace, encoding: .isoLatin1).split(separator: "\n").map(String.init)
        let process = try #require(lines.first?.split(separator: " ").first.flatMap { Int32($0) })
        kill(process, SIGTERM)
        #expect(try await tracer.ended().status == 0)
        for name in ["admin-token", "master-key"] {
            let linked = try #require(lines.firstIndex { $0.contains("link") && $0.contains("/\(name)\"") })
            let next = lines[(linked + 1)...].first
            #expect(next?.contains("fsync(") == true && next?.contains("/data>") == true, "\(lines)")
        }
    }
}
