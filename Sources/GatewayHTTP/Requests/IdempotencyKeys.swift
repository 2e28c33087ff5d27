internal import Synchronization

/// The requests with an `Idempotency-Key` that run in this process (APIConventions page); any thread.
///
/// There are never more of them than requests that are handled at once.
final class IdempotencyKeys: Sendable {
    /// The longest key, in characters.
    static let maxLength = 255

    private let running = Mutex<Set<[UInt8]>>([])

    /// Notes that a request runs; false when one with its key runs already.
    func begin(_ key: [UInt8]) -> Bool { running.withLock { $0.insert(key).inserted } }

    /// Notes that a request has ended.
    func end(_ key: [UInt8]) { running.withLock { _ = $0.remove(key) } }
}
