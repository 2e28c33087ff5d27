import Foundation
import Synchronization

/// Reads the output of a process, waits for its end, and resumes waiters.
///
/// It has three threads, because reading and `waitpid` block, and `readabilityHandler` cannot be ended safely on Linux.
final class ProcessMonitor: Sendable {
    /// The known state of the process.
    struct State {
        /// The last lines of standard output.
        var output: [String] = []
        /// The last lines of standard error.
        var errors: [String] = []
        /// The exit; nil while it runs.
        var exit: ChildProcess.Exit?
        /// Whether it was killed after a timeout.
        var isGivenUp = false
        fileprivate var openPipes = 2

        /// Whether there will be no more output.
        var isOver: Bool { isGivenUp || exit != nil && openPipes == 0 }
    }

    private struct Waiter {
        var isDone: @Sendable (State) -> Bool
        var continuation: CheckedContinuation<State, Never>
    }

    private struct Guarded {
        var state = State()
        var waiters: [Waiter] = []
    }

    private static let mostLines = 100_000
    /// The process id.
    let id: pid_t
    private let guarded = Mutex(Guarded())

    /// Starts to monitor a process that has just been started; closes its pipes when they end.
    init(_ process: SpawnedProcess) {
        id = process.id
        Thread.detachNewThread { self.read(process.output, into: \.output) }
        Thread.detachNewThread { self.read(process.errors, into: \.errors) }
        Thread.detachNewThread { self.awaitExit() }
    }

    /// The current state.
    var state: State { guarded.withLock { $0.state } }

    /// Sends a signal; the lock ensures that the id is not reused by another process.
    func signal(_ signal: Int32) {
        guarded.withLock { guarded in
            if guarded.state.exit == nil { _ = kill(id, signal) }
        }
    }

    /// Waits for a condition or the end, and returns the state in which it held, or in which the process was over;
    /// kills the process when that takes too long or the task is cancelled.
    func wait(within limit: Duration, until isDone: @escaping @Sendable (State) -> Bool) async -> State {
        let alarm = Task {
            try await Task.sleep(for: limit)
            giveUp()
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: State? = guarded.withLock { guarded in
                    if guarded.state.isOver || isDone(guarded.state) { return guarded.state }
                    guarded.waiters.append(Waiter(isDone: isDone, continuation: continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            giveUp()
        }
    }

    private func giveUp() {
        signal(SIGKILL)
        change { $0.isGivenUp = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let (ready, state): ([Waiter], State) = guarded.withLock { guarded in
            body(&guarded.state)
            let state = guarded.state
            let ready = guarded.waiters.filter { state.isOver || $0.isDone(state) }
            if !ready.isEmpty { guarded.waiters.removeAll { state.isOver || $0.isDone(state) } }
            return (ready, state)
        }
        for waiter in ready { waiter.continuation.resume(returning: state) }
    }

    private func awaitExit() {
        // Without reaping at first, so that the id is not reused before `signal` can see the end.
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        change { state in
            var status: Int32 = 0
            waitpid(id, &status, 0)
            let signal = status & 0x7f
            state.exit = .init(status: signal == 0 ? (status >> 8) & 0xff : signal, isSignal: signal != 0)
        }
    }

    private func read(_ descriptor: Int32, into lines: any WritableKeyPath<State, [String]> & Sendable) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            rest += buffer[..<count]
            let parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Array(parts.last ?? [])
            let whole = parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
            guard !whole.isEmpty else { continue }
            change { state in
                state[keyPath: lines] += whole
                let excess = state[keyPath: lines].count - Self.mostLines
                // A tenth at a time, so that a process with endless output does not move all lines at each new one.
                if excess > Self.mostLines / 10 { state[keyPath: lines].removeFirst(excess) }
            }
        }
        close(descriptor)
        change { state in
            // The last line may have no line break.
            if !rest.isEmpty { state[keyPath: lines].append(String(decoding: rest, as: UTF8.self)) }
            state.openPipes -= 1
        }
    }
}
