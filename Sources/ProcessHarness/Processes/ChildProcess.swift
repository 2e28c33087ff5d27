package import Foundation

/// A real process beside this one, with its lines as they come.
///
/// It is killed when the last one who holds it lets go. Any task may use it.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package struct Exit: Equatable, Sendable {
        /// The exit status, or the signal's number.
        package var status: Int32
        /// Whether a signal ended it.
        package var isSignal: Bool

        /// A way to end.
        ///
        /// - Parameters:
        ///   - status: The exit status, or the signal's number.
        ///   - isSignal: Whether a signal ended it.
        package init(status: Int32, isSignal: Bool) {
            self.status = status
            self.isSignal = isSignal
        }
    }

    private let name: String
    private let monitor: ProcessMonitor

    /// Where the executables of this build are: beside the one that runs.
    package static var binaries: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Starts an executable of this build, or any other by its path.
    ///
    /// - Parameters:
    ///   - name: The executable's name, or its absolute path.
    ///   - arguments: Its arguments.
    ///   - environment: Variables beside `PATH`; nothing else of this process is handed on.
    ///   - directory: Its working directory; nil takes this process's own.
    /// - Throws: ``HarnessError`` when it cannot be started.
    package init(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        directory: String? = nil
    ) throws {
        self.name = URL(filePath: name).lastPathComponent
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        var program = name.hasPrefix("/") ? name : Self.binaries.appending(path: name).path()
        var arguments = arguments
        if environment["LD_PRELOAD"] != nil {
            // A library that sets a variable before the start moves the environment, in front of which Swift looks for the
            // arguments. Through env it has set it already.
            arguments.insert(program, at: 0)
            program = "/usr/bin/env"
        }
        let spawned = try SpawnedProcess.start(
            program,
            arguments,
            environment: ["PATH": path].merging(environment) { $1 },
            directory: directory
        )
        monitor = ProcessMonitor(spawned)
    }

    deinit { monitor.signal(SIGKILL) }

    /// Its process id.
    package var id: Int32 { monitor.id }

    /// What it wrote on standard output so far, by line: the last 100,000.
    package var output: [String] { monitor.state.output }

    /// What it wrote on standard error so far, by line: the last 100,000.
    package var errors: [String] { monitor.state.errors }

    /// Sends it a signal, unless it has ended.
    ///
    /// - Parameter signal: The signal's number.
    package func signal(_ signal: Int32) { monitor.signal(signal) }

    /// Waits for a line on standard output.
    ///
    /// - Parameters:
    ///   - prefix: How the line begins.
    ///   - limit: How long to wait before it is killed.
    /// - Returns: The rest of the first such line.
    /// - Throws: ``HarnessError`` when it ended without it, or was killed for not saying it.
    package func line(_ prefix: String, within limit: Duration = .seconds(540)) async throws -> String {
        let state = await monitor.wait(within: limit) { $0.output.contains { $0.hasPrefix(prefix) } }
        guard let line = state.output.first(where: { $0.hasPrefix(prefix) }) else {
            throw failure(state, "\"\(prefix)\"")
        }
        return String(line.dropFirst(prefix.count))
    }

    /// Waits for lines on standard output.
    ///
    /// - Parameters:
    ///   - prefix: How they begin.
    ///   - count: How many there must be.
    ///   - limit: How long to wait before it is killed.
    /// - Returns: All such lines so far.
    /// - Throws: ``HarnessError`` when it ended without them, or was killed for not saying them.
    package func lines(
        _ prefix: String,
        count: Int,
        within limit: Duration = .seconds(540)
    ) async throws -> [String] {
        let state = await monitor.wait(within: limit) { state in
            state.output.count { $0.hasPrefix(prefix) } >= count
        }
        let lines = state.output.filter { $0.hasPrefix(prefix) }
        guard lines.count >= count else { throw failure(state, "\(count) times \"\(prefix)\"") }
        return lines
    }

    /// Waits for a line on standard error.
    ///
    /// - Parameters:
    ///   - part: What the line holds.
    ///   - limit: How long to wait before it is killed.
    /// - Returns: The first such line.
    /// - Throws: ``HarnessError`` when it ended without it, or was killed for not saying it.
    package func errorLine(_ part: String, within limit: Duration = .seconds(540)) async throws -> String {
        let state = await monitor.wait(within: limit) { $0.errors.contains { $0.contains(part) } }
        guard let line = state.errors.first(where: { $0.contains(part) }) else {
            throw failure(state, "\"\(part)\" on standard error")
        }
        return line
    }

    /// Waits until it has ended and everything that it wrote has been read.
    ///
    /// - Parameter limit: How long to wait before it is killed.
    /// - Returns: How it ended.
    /// - Throws: ``HarnessError`` when it was killed for not ending.
    @discardableResult
    package func ended(within limit: Duration = .seconds(540)) async throws -> Exit {
        let state = await monitor.wait(within: limit) { _ in false }
        guard let exit = state.exit, !state.isGivenUp else { throw failure(state, "having to be killed") }
        return exit
    }

    /// Asks it to stop and waits until it has.
    ///
    /// - Parameter limit: How long to wait before it is killed.
    /// - Returns: How it ended.
    /// - Throws: ``HarnessError`` when it was killed for not ending.
    @discardableResult
    package func stop(within limit: Duration = .seconds(540)) async throws -> Exit {
        signal(SIGTERM)
        return try await ended(within: limit)
    }

    private func failure(_ state: ProcessMonitor.State, _ missing: String) -> HarnessError {
        let how = state.isGivenUp ? "was killed when its time was up" : "ended"
        return HarnessError("\(name) \(how) without \(missing): \(state.errors.suffix(10).joined(separator: "\n"))")
    }
}
