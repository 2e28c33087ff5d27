package import GatewayModel
package import GatewayStorage

/// How the store stands, as the writer finds it: while it fails nothing is taken, and the writer tries again by itself.
package struct StoreStanding: Sendable {
    /// Why the last turn or probe failed; nil when it went well.
    package private(set) var error: StorageError?
    /// When the writer tries again; nil at once.
    private var retryAt: Timestamp?

    /// It went well so far.
    package init() {}

    /// Whether the file is damaged: nothing is written to it any more until an operator has restored it.
    package var isDamaged: Bool { if case .corrupt = error { true } else { false } }

    /// Until when the writer leaves the store alone.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: Nil when it may try now.
    package func restsUntil(now: Timestamp) -> Timestamp? { retryAt.flatMap { $0 > now ? $0 : nil } }

    /// Takes in that a turn or probe failed.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - now: The wall clock.
    /// - Returns: Whether it did not fail before, or in another way.
    package mutating func failed(_ error: StorageError, now: Timestamp) -> Bool {
        // What is damaged stays so: a read that happens to succeed proves nothing.
        guard !isDamaged else { return false }
        defer {
            self.error = error
            retryAt = now.adding(seconds: 1)
        }
        return self.error?.label != error.label
    }

    /// Takes in that a turn or probe went well.
    ///
    /// - Returns: Whether it had failed before.
    package mutating func succeeded() -> Bool {
        defer {
            if !isDamaged { self = StoreStanding() }
        }
        return error != nil && !isDamaged
    }

    /// Lets the writer try at once, because it is its last chance.
    package mutating func tryNow() { retryAt = nil }
}
