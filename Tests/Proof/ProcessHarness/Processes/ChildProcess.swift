package import Foundation

/// A child process, with its output lines.
///
/// It is killed when the last reference is released. Any task may use it.
package final class ChildProcess: Sendable {
    /// The exit of a process.
    package struct Exit: Equatable, Sendable {
        /// The exit status, or the signal's number.
        package var status: Int32
        /// Whether a signal ended it.
        package var isSignal: Bool

        /// Creates an exit.
        package init(status: Int32, isSignal: Bool) {
            self.status = status
            self.isSignal = isSignal
        }
    }

    private let name: String
    private let monitor: ProcessMonitor

    /// The directory of this build's executables: that of the running one.
    package static var binaries: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Starts an executable of this build, or any other by its absolute path.
    ///
    /// The environment has variables in addition to `PATH`; no other variables are inherited. Without a directory it
    /// has that of this process.
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
            // A library that sets a variable before the start moves the environment, and Swift searches for the
            // arguments in front of it. When started through env, the variable is already set.
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

    /// The lines of standard output so far: the last 100,000.
    package var output: [String] { monitor.state.output }

    /// The lines of standard error so far: the last 100,000.
    package var errors: [String] { monitor.state.errors }

    /// Sends a signal, unless the process has ended.
    package func signal(_ signal: Int32) { monitor.signal(signal) }

    /// Waits for a line on standard output and returns its rest after the prefix; kills the process after the timeout.
    package func line(_ prefix: String, within limit: Duration = .seconds(540)) async throws -> String {
        let state = await monitor.wait(within: limit) { $0.output.contains { $0.hasPrefix(prefix) } }
        guard let line = state.output.first(where: { $0.hasPrefix(prefix) }) else {
            throw failure(state, "\"\(prefix)\"")
        }
        return String(line.dropFirst(prefix.count))
    }

    /// Waits for a number of lines on standard output with a prefix and returns all such lines so far; kills the
    /// process after the timeout.
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

    /// Waits for a line on standard error that contains a text, and returns the first; kills the process after the
    /// timeout.
    package func errorLine(_ part: String, within limit: Duration = .seconds(540)) async throws -> String {
        let state = await monitor.wait(within: limit) { $0.errors.contains { $0.contains(part) } }
        guard let line = state.errors.first(where: { $0.contains(part) }) else {
            throw failure(state, "\"\(part)\" on standard error")
        }
        return line
    }

    /// Waits until the process has ended and all its output has been read; kills it after the timeout, which is an
    /// error.
    @discardableResult
    package func ended(within limit: Duration = .seconds(540)) async throws -> Exit {
        let state = await monitor.wait(within: limit) { _ in false }
        guard let exit = state.exit, !state.isGivenUp else { throw failure(state, "having to be killed") }
        return exit
    }

    /// Sends SIGTERM and waits until the process has ended; kills it after the timeout, which is an error.
    @discardableResult
    package func stop(within limit: Duration = .seconds(540)) async throws -> Exit {
        signal(SIGTERM)
        return try await ended(within: limit)
    }

    private func failure(_ state: ProcessMonitor.State, _ missing: String) -> HarnessError {
        let how = state.isGivenUp ? "was killed after its timeout" : "ended"
        return HarnessError("\(name) \(how) without \(missing): \(state.errors.suffix(10).joined(separator: "\n"))")
    }
}
