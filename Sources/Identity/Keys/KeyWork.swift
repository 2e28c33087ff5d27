internal import Dispatch
internal import Synchronization

/// Does what costs a processor for long, such as making, deriving and checking keys: one at a time, on a thread of its own.
///
/// Operators bring keys that may be made to cost as much as possible; the threads that serve requests never wait for
/// them. At most 64 wait; more are told ``DirectoryError/busy``. Any thread may call.
package final class KeyWork: Sendable {
    /// Operators are few; each piece of work is at most about a second.
    private static let limit = 64

    private let queue = DispatchQueue(label: "switchboard.keys")
    private let expected = Atomic(0)

    init() {}

    /// Does a piece of work.
    ///
    /// - Parameter work: The work; runs on the thread of its own, to its end even when the caller is cancelled.
    /// - Returns: What it gives.
    /// - Throws: ``DirectoryError/busy`` when too much waits.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(DirectoryError) -> Value {
        guard expected.add(1, ordering: .relaxed).newValue <= Self.limit else {
            expected.subtract(1, ordering: .relaxed)
            throw .busy
        }
        defer { expected.subtract(1, ordering: .relaxed) }
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
