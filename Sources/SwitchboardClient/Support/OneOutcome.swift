/// The one outcome of a call to code of the app: the first result counts, every later one is ignored.
///
/// If the app drops its completion without calling it, the outcome is a connectivity error, so that nothing waits for
/// ever.
final class OneOutcome<Value: Sendable>: Sendable {
    private let continuation: Locked<CheckedContinuation<Value, any Error>?>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = Locked(continuation)
    }

    deinit {
        resume(.failure(SwitchboardError(.connectivity, "the provider dropped its completion without a result")))
    }

    /// Ends the call, if it has not ended yet.
    func resume(_ result: Result<Value, any Error>) {
        let waiting = continuation.withLock { held in
            defer { held = nil }
            return held
        }
        waiting?.resume(with: result)
    }
}

/// Runs a body away from the caller's actor, because code of the app may block.
@concurrent
func offActor<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    try await body()
}

/// Returns the result of a body, or an error if it takes too long; a result after that is ignored.
///
/// - Parameters:
///   - timeout: The longest time.
///   - clock: The clock that measures it.
///   - error: The error when the time is over.
///   - body: The code of the app, which may ignore that its task is cancelled.
/// - Returns: The result of the body.
/// - Throws: The error of the body, or `error`.
func bounded<Value: Sendable>(
    _ timeout: Duration,
    clock: any ClientClock,
    error: SwitchboardError,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let tasks = Locked<[Task<Void, Never>]>([])
    defer { for task in tasks.withLock({ $0 }) { task.cancel() } }
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = OneOutcome(continuation)
            let work = Task {
                do {
                    outcome.resume(.success(try await offActor(body)))
                } catch let failure {
                    outcome.resume(.failure(failure))
                }
            }
            let timer = Task {
                try? await clock.sleep(for: timeout)
                outcome.resume(.failure(error))
            }
            tasks.withLock { $0 = [work, timer] }
            // The handler below may have run before there was anything to cancel.
            if Task.isCancelled { timer.cancel() }
        }
    } onCancel: {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}
