import ProcessHarness
import Testing

@Suite("A child process", .timeLimit(.minutes(10)))
struct ChildProcessTests {
    @Test("the last lines need no line break")
    func lastLine() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", #"printf 'one\n\ntwo'; printf 'three' >&2"#])
        #expect(try await process.ended() == .init(status: 0, isSignal: false))
        #expect(process.output == ["one", "", "two"] && process.errors == ["three"])
    }
}
