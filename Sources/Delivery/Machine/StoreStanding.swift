import GatewayModel
import GatewayStorage

/// How the store stands, as the writer finds it: while it fails nothing is taken, and the writer tries again by itself.
struct StoreStanding {
    /// Why the last turn or probe failed; nil when it went well.
    private(set) var error: StorageError?
    /// When the writer tries again; nil at once.
    private var retryAt: Timestamp?

    /// Whether the file is damaged: nothing is written to it any more until an operator has restored it.
    var isDamaged: Bool { if case .corrupt = error { true } else { false } }

    /// Until when the writer leaves the store alone.
    func restsUntil(now: Timestamp) -> Timestamp? { retryAt.flatMap { $0 > now ? $0 : nil } }

    /// Says whether it did not fail before, or in another way.
    mutating func failed(_ error: StorageError, now: Timestamp) -> Bool {
        // What is damaged stays so: a read that happens to succeed proves nothing.
        guard !isDamaged else { return false }
        defer {
            self.error = error
            retryAt = now.adding(seconds: 1)
        }
        return self.error?.label != error.label
    }

    /// Says whether it had failed before.
    mutating func succeeded() -> Bool {
        defer {
            if !isDamaged { self = StoreStanding() }
        }
        return error != nil && !isDamaged
    }

    /// Lets the writer try at once, because it is its last chance.
    mutating func tryNow() { retryAt = nil }
}
