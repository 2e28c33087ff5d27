internal import Synchronization

/// The running requests with an `Idempotency-Key` in this process (APIConventions page); usable from any thread.
///
/// Their number is limited by the number of concurrent requests.
final class IdempotencyKeys: Sendable {
    /// The maximum length of a key, in characters.
    static let maxLength = 255

    private let running = Mutex<Set<[UInt8]>>([])

    /// Records that a request runs; false when one with its key runs already.
    func begin(_ key: [UInt8]) -> Bool { running.withLock { $0.insert(key).inserted } }

    /// Records that a request has ended.
    func end(_ key: [UInt8]) { running.withLock { _ = $0.remove(key) } }
}
