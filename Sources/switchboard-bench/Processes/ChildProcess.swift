import Foundation
import Synchronization

/// A process of the benchmark's own: started, waited for by the lines it prints, ended by its pid.
final class ChildProcess: Sendable {
    private struct State {
        var lines: [String] = []
        var rest = ""
        var isEnded = false
    }

    /// The process id.
    var pid: Int32 { process.withLock { $0.processIdentifier } }
    private let process: Mutex<Process>
    private let output: FileHandle
    private let state = Mutex(State())
    private let name: String

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - arguments: What it is told.
    ///   - environment: Variables beside the benchmark's own.
    ///   - logPath: Where its standard error goes.
    /// - Throws: When it cannot be started.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:], logPath: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        guard FileManager.default.createFile(atPath: logPath, contents: nil),
            let log = FileHandle(forWritingAtPath: logPath)
        else { throw BenchmarkError("cannot write \(logPath)") }
        process.standardError = log
        name = URL(fileURLWithPath: path).lastPathComponent
        output = pipe.fileHandleForReading
        try process.run()
        self.process = Mutex(process)
        // On a thread of its own: `readabilityHandler` is not safe to end on Linux.
        Thread.detachNewThread { [output, weak self] in
            var data: Data
            repeat {
                data = output.availableData
                self?.take(data)
            } while !data.isEmpty
        }
    }

    /// Everything that it has printed on standard output so far, by line.
    var lines: [String] { state.withLock { $0.lines } }

    /// Waits until it prints a line that begins so.
    ///
    /// - Parameters:
    ///   - prefix: How the line begins.
    ///   - seconds: How long to wait.
    /// - Returns: The line.
    /// - Throws: ``BenchmarkError`` when it ends or says nothing in time.
    func line(beginning prefix: String, within seconds: Double = 60) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            let (lines, isEnded) = state.withLock { ($0.lines, $0.isEnded) }
            if let line = lines.first(where: { $0.hasPrefix(prefix) }) { return line }
            if isEnded { throw BenchmarkError("\(name) ended before it said '\(prefix)'; see its log") }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw BenchmarkError("\(name) did not say '\(prefix)' within \(seconds) s; see its log")
    }

    /// Waits until it ends by itself.
    ///
    /// - Parameter seconds: How long to wait before it is killed.
    /// - Returns: Its exit code.
    func waitUntilEnded(within seconds: Double) async -> Int32 {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while process.withLock({ $0.isRunning }) {
            if ContinuousClock.now > deadline { kill(pid, SIGKILL) }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return process.withLock { $0.terminationStatus }
    }

    /// Asks it to end, and kills it when it does not within half a minute.
    func stop() async {
        if process.withLock({ $0.isRunning }) { kill(pid, SIGTERM) }
        _ = await waitUntilEnded(within: 30)
    }

    private func take(_ data: Data) {
        state.withLock { state in
            if data.isEmpty {
                state.isEnded = true
                return
            }
            state.rest += String(decoding: data, as: UTF8.self)
            while let end = state.rest.firstIndex(of: "\n") {
                state.lines.append(String(state.rest[..<end]))
                state.rest = String(state.rest[state.rest.index(after: end)...])
            }
        }
    }
}
