internal import Dispatch
internal import FairSharing
internal import Synchronization

/// A thread for work that takes much CPU time, such as generating, deriving and validating keys, one piece at a time.
///
/// Operators' keys may be made to cost as much as possible; the threads that serve requests never wait for them. Owners,
/// such as brands, take turns. The number of waiting pieces is limited. Beyond that, a piece of the owner with the most is
/// displaced by one of an owner with fewer; a piece without a slot throws ``DirectoryError/busy``. Thread-safe.
package final class KeyWork<Owner: Hashable & Sendable>: Sendable {
    /// A piece of work, which is run or rejected for lack of a slot.
    private struct Piece: Sendable {
        var work: @Sendable () -> Void
        var refuse: @Sendable () -> Void
    }

    private let queue = DispatchQueue(label: "switchboard.keys")
    private let line: Mutex<FairWorkQueue<Owner, Piece>>

    /// Creates the thread.
    ///
    /// - Parameter capacity: The maximum of waiting pieces: operators are few, and each takes about a second at most.
    init(capacity: Int = 64) { line = Mutex(FairWorkQueue(runningAtOnce: 1, capacity: capacity)) }

    /// Runs a piece of work.
    ///
    /// - Parameters:
    ///   - owner: The owner of the work.
    ///   - work: The work; runs on the thread, to its end even when the caller is cancelled.
    /// - Returns: The result of the work.
    /// - Throws: ``DirectoryError/busy`` when too many pieces wait.
    package func run<Value: Sendable>(
        of owner: Owner,
        _ work: @escaping @Sendable () -> Value
    ) async throws(DirectoryError) -> Value {
        let value: Value? = await withCheckedContinuation { continuation in
            let piece = Piece {
                continuation.resume(returning: work())
            } refuse: {
                continuation.resume(returning: nil)
            }
            switch line.withLock({ $0.enter(piece, of: owner) }) {
            case .entered: break
            case .displaced(let other): other.refuse()
            case .full: piece.refuse()
            }
            beginNext()
        }
        guard let value else { throw .busy }
        return value
    }

    private func beginNext() {
        while let (owner, piece) = line.withLock({ $0.next() }) {
            queue.async {
                piece.work()
                self.line.withLock { $0.ended(owner) }
                self.beginNext()
            }
        }
    }
}
