import Dispatch
import Foundation
import GatewayClient
import ServiceLifecycle
import Synchronization

/// The gateway of the demonstration: `switchboard serve` as a child process, which ends with this one.
///
/// Its standard error is that of this process.
final class DemoGateway: Service {
    private struct State {
        /// The process id; nil before the start and after the end.
        var id: pid_t?
        /// Whether it was asked to stop.
        var isStopping = false
        /// Whether a second signal stopped it at once.
        var isAborted = false
        /// The error of an end that was not asked for.
        var failure: CommandFailure?
    }

    /// The start of the line that the gateway prints when it is ready.
    private static let ready = "listening on "
    /// Seconds from SIGTERM to SIGKILL: more than the gateway's own deadline, so that only one that hangs is killed.
    private static let stopSeconds = 20.0
    /// Seconds for the end of a process that has closed its standard output: a program closes it before it exits.
    private static let exitSeconds = 5.0

    private let program: String
    private let settings: [String: String]
    private let listening: AsyncStream<String>.Continuation
    private let state = Mutex(State())
    /// Second signals, while the gateway stops.
    private let secondSignals = Mutex<[any DispatchSourceSignal]>([])

    /// Creates a gateway that is not started yet.
    ///
    /// - Parameters:
    ///   - program: The absolute path of the program `switchboard`.
    ///   - settings: The settings as environment variables.
    ///   - listening: Receives the gateway's URL once it listens.
    init(program: String, settings: [String: String], listening: AsyncStream<String>.Continuation) {
        self.program = program
        self.settings = settings
        self.listening = listening
    }

    /// The error of an end that was not asked for; nil without one.
    var failure: CommandFailure? { state.withLock { $0.failure } }

    /// Runs the gateway until the service group shuts down.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be started, or ends by itself.
    func run() async throws {
        try await withGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                // One thread for the child's whole life: the kernel kills the child when the thread that started it ends.
                Thread.detachNewThread {
                    do {
                        try self.runChild()
                        ended.resume()
                    } catch {
                        ended.resume(throwing: error)
                    }
                }
            }
        } onGracefulShutdown: {
            self.stop()
        }
    }

    private func stop() {
        signal(SIGTERM)
        // The service group ignores the default action of both, and reads only the first.
        secondSignals.withLock { sources in
            for number in [SIGINT, SIGTERM] {
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler {
                    self.state.withLock { $0.isAborted = true }
                    self.signal(SIGKILL)
                }
                source.resume()
                sources.append(source)
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.stopSeconds) { self.signal(SIGKILL) }
    }

    /// Sends a signal that ends the child; the lock ensures that the id is not reused by another process.
    private func signal(_ number: Int32) {
        state.withLock { state in
            state.isStopping = true
            if let id = state.id { _ = kill(id, number) }
        }
    }

    /// Starts the child, reports its URL, and waits for its end.
    private func runChild() throws(CommandFailure) {
        let (id, output) = try spawn()
        state.withLock { state in
            state.id = id
            if state.isStopping { _ = kill(id, SIGTERM) }
        }
        let line = Self.firstLine(of: output)
        if let line, line.hasPrefix(Self.ready) {
            listening.yield(String(line.dropFirst(Self.ready.count)))
        } else {
            // Without a line it is about to end, and its own exit code says more than a kill. With one it is not a
            // gateway.
            DispatchQueue.global().asyncAfter(deadline: .now() + (line == nil ? Self.exitSeconds : 0)) {
                // The lock ensures that the id is not reused by another process.
                self.state.withLock { if $0.id == id { _ = kill(id, SIGKILL) } }
            }
        }
        // Without reaping at first, so that the id is not reused before `signal` can see the end.
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let failure: CommandFailure? = state.withLock { state in
            var status: Int32 = 0
            waitpid(id, &status, 0)
            state.id = nil
            // Exit code 0, or SIGTERM before the gateway handles it.
            if state.isAborted {
                state.failure = CommandFailure(.secondSignal, "a second signal stopped the demonstration at once")
            } else if !state.isStopping || ![0, SIGTERM].contains(status) {
                state.failure = Self.endFailure(status)
            }
            return state.failure
        }
        close(output)
        if let failure { throw failure }
    }

    /// Starts the child with a pipe as its standard output.
    ///
    /// - Returns: Its process id, and the reading end of the pipe.
    /// - Throws: ``CommandFailure``.
    private func spawn() throws(CommandFailure) -> (id: pid_t, output: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Self.startFailure("create a pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // Signals as in a shell, but a process group of its own: Ctrl-C reaches this process alone, which then stops it.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)
        )
        // `setpriv` asks the kernel to kill the child when this process ends, however it ends.
        let words = ["/usr/bin/setpriv", "--pdeathsig", "KILL", program, "serve"]
        var argv = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            for text in argv + variables { free(text) }
            close(ends[1])
        }
        var id: pid_t = 0
        let result = posix_spawn(&id, words[0], &actions, &attributes, &argv, &variables)
        guard result == 0 else {
            close(ends[0])
            throw Self.startFailure("start \(words[0]), of the package util-linux,", result)
        }
        return (id, ends[0])
    }

    /// The child's environment: that of this process, with the given settings instead of its own.
    private var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWITCHBOARD_") }.merging(settings) { $1 }
    }

    /// Reads the first line from a pipe; nil when it ends without one.
    private static func firstLine(of pipe: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(pipe, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }

    private static func startFailure(_ action: String, _ error: Int32) -> CommandFailure {
        CommandFailure(.failure, "the demonstration cannot \(action): \(String(cString: strerror(error)))")
    }

    /// Returns the error for an end that was not asked for.
    private static func endFailure(_ status: Int32) -> CommandFailure {
        let signal = status & 0x7f
        let how = signal == 0 ? "with exit code \((status >> 8) & 0xff)" : "by signal \(signal)"
        return CommandFailure(.failure, "the gateway ended \(how); the lines above are its last messages")
    }
}
