import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The 202 waits for the disk: checked at the kernel, because killing a process cannot prove it.
@Suite("Syncing", .timeLimit(.minutes(10)))
struct SyncTests {
    private let marker = "sync-proof-marker"

    @Test("the WAL is synced after the event is written to it and before the 202 is sent")
    func order() async throws {
        let directory = try TemporaryDirectory()
        let trace = directory.path("trace")
        let gateway = try await GatewayProcess.start(
            in: directory,
            under: [
                "/usr/bin/env", "strace", "-f", "-yy", "-s", "100000", "-o", trace, "-e",
                "trace=execve,fdatasync,pwrite64,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg",
            ]
        )
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let event: JSONValue = [
            "id": "e-1", "type": "agent.message", "consumer": "u-1", "conversation": "c-9", "text": .string(marker),
        ]
        let response = try await gateway.admin.call("POST", ["v1", "brands", "acme", "events"], body: event)
        #expect(response.status == 202)
        // The tracer exits with the gateway, after writing the trace.
        let lines = try String(contentsOfFile: trace, encoding: .isoLatin1).split(separator: "\n").map(String.init)
        let first = try #require(lines.first { $0.contains(" execve(") })
        let id = try #require(first.split(separator: " ").first.flatMap { Int32($0) })
        #expect(kill(id, SIGTERM) == 0)
        #expect(try await gateway.process.ended() == .init(status: 0, isSignal: false))
        let all = try String(contentsOfFile: trace, encoding: .isoLatin1).split(separator: "\n").map(String.init)
        let seen = SyncTrace(all, marker: marker)
        #expect(seen.fault == nil, "\(seen.steps)")
    }

    @Test("a trace in which the response does not wait is detected")
    func recognised() {
        let read = #"7 read(9<TCP:[127.0.0.1:80->127.0.0.1:9]>, "POST /v1 sync-proof-marker", 2048) = 26"#
        let row = #"8 pwrite64(5</d/switchboard.sqlite-wal>, "sync-proof-marker", 4096, 32) = 4096"#
        let begin = #"8 fdatasync(5</d/switchboard.sqlite-wal> <unfinished ...>"#
        let end = "8 <... fdatasync resumed>) = 0"
        let response = #"7 write(9<TCP:[127.0.0.1:80->127.0.0.1:9]>, "HTTP/1.1 202 Accepted", 21) = 21"#
        func fault(_ lines: String...) -> String? { SyncTrace(lines, marker: marker).fault }
        #expect(fault(read, row, begin, end, response) == nil)
        #expect(fault(read, row, response) == "the log is synced", "synchronous = NORMAL")
        #expect(fault(read, row, begin, response, end) == "the answer leaves", "not waited for")
        #expect(fault(read, begin, end, row, response) == "the log is synced", "an earlier commit's")
        #expect(fault(read, row, begin, "8 <... fdatasync resumed>) = -1 EIO", response) == "the log is synced")
    }
}
