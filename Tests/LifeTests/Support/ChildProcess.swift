import Foundation
import Synchronization

/// A real process of this package, with its lines as they come.
final class ChildProcess: Sendable {
    /// How a process ended.
    struct Exit: Equatable {
        /// The exit status, or the signal's number.
        var status: Int32
        /// Whether a signal ended it.
        var isSignal: Bool
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private struct State {
        var output: [String] = []
        var errors: [String] = []
        var exit: Exit?
        var openPipes = 2
        var waiters: [(isDone: (State) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
    }

    private let process: Process
    private let name: String
    private let state = Mutex(State())

    /// Where the executables of this build are: beside the tests' own.
    static var binaries: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Starts an executable of this build.
    ///
    /// - Parameters:
    ///   - name: The executable's name.
    ///   - arguments: Its arguments.
    ///   - environment: Variables beside `PATH`; nothing else of this process is handed on.
    ///   - directory: Its working directory.
    /// - Throws: When it cannot be started.
    init(_ name: String, _ arguments: [String], environment: [String: String] = [:], directory: String? = nil) throws {
        self.name = name
        process = Process()
        process.executableURL = name.hasPrefix("/") ? URL(filePath: name) : Self.binaries.appending(path: name)
        process.arguments = arguments
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.environment = ["PATH": path].merging(environment) { $1 }
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [weak self] process in
            let exit = Exit(status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal)
            self?.change { $0.exit = exit }
        }
        read(output.fileHandleForReading) { $0.output.append($1) }
        read(errors.fileHandleForReading) { $0.errors.append($1) }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// What it wrote on standard output so far.
    var output: [String] { state.withLock { $0.output } }

    /// What it wrote on standard error so far.
    var errors: [String] { state.withLock { $0.errors } }

    /// Its process id.
    var id: Int32 { process.processIdentifier }

    /// Sends it a signal.
    func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for a line on standard output.
    ///
    /// - Parameter prefix: How the line begins.
    /// - Returns: The rest of the line.
    /// - Throws: ``Failure`` when it ended without it.
    func line(_ prefix: String) async throws -> String {
        await wait { state in
            state.exit != nil && state.openPipes == 0 || state.output.contains { $0.hasPrefix(prefix) }
        }
        guard let line = output.first(where: { $0.hasPrefix(prefix) }) else {
            throw Failure(
                description: "\(name) ended without \"\(prefix)\": \(errors.suffix(10).joined(separator: "\n"))"
            )
        }
        return String(line.dropFirst(prefix.count))
    }

    /// Waits for a line on standard error.
    ///
    /// - Parameter part: What the line holds.
    /// - Returns: The line.
    /// - Throws: ``Failure`` when it ended without it.
    func errorLine(_ part: String) async throws -> String {
        await wait { state in state.exit != nil && state.openPipes == 0 || state.errors.contains { $0.contains(part) } }
        guard let line = errors.first(where: { $0.contains(part) }) else {
            throw Failure(description: "\(name) ended without \"\(part)\" on standard error")
        }
        return line
    }

    /// Waits until it has ended and everything that it wrote has been read.
    func ended() async throws -> Exit {
        await wait { $0.exit != nil && $0.openPipes == 0 }
        guard let exit = state.withLock({ $0.exit }) else { throw Failure(description: "\(name) has not ended") }
        return exit
    }

    /// Asks it to stop and waits until it has.
    func stop() async throws -> Exit {
        signal(SIGTERM)
        return try await ended()
    }

    private func wait(until isDone: @escaping @Sendable (State) -> Bool) async {
        // When a test's time is up its process is ended, which ends the waiting too.
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDoneAlready = state.withLock { state in
                    if isDone(state) { return true }
                    state.waiters.append((isDone, continuation))
                    return false
                }
                if isDoneAlready { continuation.resume() }
            }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            let now = state
            state.waiters.removeAll { $0.isDone(now) }
            return now.waiters.filter { $0.isDone(now) }
        }
        for waiter in ready { waiter.resume.resume() }
    }

    /// Reads a pipe on a thread of its own: `readabilityHandler` is not safe to end on Linux.
    private func read(_ handle: FileHandle, _ take: @escaping @Sendable (inout State, String) -> Void) {
        let descriptor = handle.fileDescriptor
        Thread.detachNewThread { [weak self] in
            // The handle closes its descriptor when it goes, so it is kept until the end of the pipe.
            defer { withExtendedLifetime(handle) {} }
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                rest += buffer[..<count]
                let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = Array(lines.last ?? [])
                let whole = lines.dropLast().map { String(decoding: $0, as: UTF8.self) }
                self?.change { state in for line in whole { take(&state, line) } }
            }
            self?.change { $0.openPipes -= 1 }
        }
    }
}
