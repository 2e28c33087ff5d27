import Foundation

/// A value behind a lock, for the few places that are not on the client's actor.
///
/// `Synchronization.Mutex` needs iOS 18 and macOS 15.
final class Locked<Value: Sendable>: @unchecked Sendable {
    // Guards `value`: it is read and written between `lock()` and `unlock()` only.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Calls the body with the value; the body must not call out.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
