import Foundation
import PushSimulator
import Synchronization

/// A child process of the test.
final class ChildProgram: Sendable {
    /// The error when there is no result.
    enum Failure: Error {
        /// The program is not installed: an independent peer must not be skipped silently.
        case missing(String)
        /// The program ended in an unexpected way.
        case ended(status: Int32, errors: String)
    }

    private let process: Process
    private let errors = Pipe()
    private let lines: AsyncStream<String>
    private let ended: AsyncStream<Int32>

    /// Starts a program.
    init(_ path: String, _ arguments: [String]) throws {
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Failure.missing(path) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let (lines, gotLine) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1000))
        let (ended, gotEnd) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(1))
        let rest = Mutex("")
        let handle = output.fileHandleForReading
        let take: @Sendable (Data) -> Void = { data in
            let complete = rest.withLock { rest in
                rest += String(decoding: data, as: UTF8.self)
                var parts = rest.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
                rest = parts.popLast() ?? ""
                return parts
            }
            for line in complete { gotLine.yield(line) }
            if data.isEmpty { gotLine.finish() }
        }
        process.terminationHandler = { process in
            gotEnd.yield(process.terminationStatus)
            gotEnd.finish()
        }
        self.process = process
        self.lines = lines
        self.ended = ended
        try process.run()
        // On a separate thread: `readabilityHandler` cannot be ended safely on Linux.
        Thread.detachNewThread {
            var data: Data
            repeat {
                data = handle.availableData
                take(data)
            } while !data.isEmpty
        }
    }

    /// Runs an ECMAScript module in Node and returns the JSON that its last line is.
    static func node(_ script: String, _ arguments: [String]) async throws -> JSONValue {
        let program = try ChildProgram("/usr/bin/node", ["--input-type=module", "-e", script, "--"] + arguments)
        var last = "null"
        for await line in program.lines { last = line }
        let status = await program.end()
        guard status == 0 else { throw Failure.ended(status: status, errors: program.errorText) }
        return try JSONValue(parsing: Array(last.utf8))
    }

    /// Returns the lines of standard output up to one, inclusive.
    func lines(through last: String) async -> [String] {
        var lines: [String] = []
        for await line in self.lines {
            lines.append(line)
            if line == last { break }
        }
        return lines
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits for the end.
    func end() async -> Int32 {
        for await status in ended { return status }
        return -1
    }

    /// The standard error of the program; read it after its end.
    var errorText: String {
        String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}
