package import GatewayModel
package import GatewayStorage

/// The health of the store as the writer sees it: while it fails nothing is taken, and the writer retries by itself.
package struct StoreHealth: Sendable {
    /// The error of the last turn or probe; nil when it succeeded.
    package private(set) var error: StorageError?
    /// The time at which the writer tries again; nil at once.
    private var retryAt: Timestamp?

    /// Creates a state without failures.
    package init() {}

    /// Whether the file is damaged: nothing is written to it any more until an operator has restored it.
    package var isDamaged: Bool { if case .corrupt = error { true } else { false } }

    /// Returns until when the writer does not use the store; nil when it may try now.
    package func pausedUntil(now: Timestamp) -> Timestamp? { retryAt.flatMap { $0 > now ? $0 : nil } }

    /// Notes that a turn or probe failed; returns whether it is a new failure, or fails in another way than before.
    package mutating func failed(_ error: StorageError, now: Timestamp) -> Bool {
        // A damaged file stays damaged: a read that happens to succeed proves nothing.
        guard !isDamaged else { return false }
        defer {
            self.error = error
            retryAt = now.adding(seconds: 1)
        }
        return self.error?.label != error.label
    }

    /// Notes that a turn or probe succeeded; returns whether it had failed before.
    package mutating func succeeded() -> Bool {
        defer {
            if !isDamaged { self = StoreHealth() }
        }
        return error != nil && !isDamaged
    }

    /// Lets the writer try at once, because it is the last chance before the process ends.
    package mutating func tryNow() { retryAt = nil }
}
