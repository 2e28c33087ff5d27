internal import Dispatch
internal import FairSharing
package import GatewayModel
internal import Synchronization

/// Does what costs a processor for long, such as making, deriving and checking keys: one at a time, on a thread of its own.
///
/// Operators bring keys that may be made to cost as much as possible; the threads that serve requests never wait for
/// them. Brands take turns. At most 64 pieces wait; beyond, the brand with the most gives way to one with less, and who has
/// no place is told ``DirectoryError/busy``. Any thread may call.
package final class KeyWork: Sendable {
    /// Operators are few; each piece of work is at most about a second.
    private static let limit = 64

    /// A piece of work: done, or told that there is no place for it.
    private struct Piece: Sendable {
        var work: @Sendable () -> Void
        var refuse: @Sendable () -> Void
    }

    private let queue = DispatchQueue(label: "switchboard.keys")
    private let line = Mutex(FairLine<BrandID, Piece>(runningAtOnce: 1, capacity: KeyWork.limit))

    init() {}

    /// Does a piece of work.
    ///
    /// - Parameters:
    ///   - brand: Whose work it is.
    ///   - work: The work; runs on the thread of its own, to its end even when the caller is cancelled.
    /// - Returns: What it gives.
    /// - Throws: ``DirectoryError/busy`` when too much waits.
    package func run<Value: Sendable>(
        of brand: BrandID,
        _ work: @escaping @Sendable () -> Value
    ) async throws(DirectoryError) -> Value {
        let value: Value? = await withCheckedContinuation { continuation in
            let piece = Piece {
                continuation.resume(returning: work())
            } refuse: {
                continuation.resume(returning: nil)
            }
            switch line.withLock({ $0.enter(piece, of: brand) }) {
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
        while let (brand, piece) = line.withLock({ $0.next() }) {
            queue.async {
                piece.work()
                self.line.withLock { $0.ended(brand) }
                self.beginNext()
            }
        }
    }
}
