internal import FairSharing
internal import GatewayModel
internal import Synchronization

/// Serializes administrative changes, so that memory changes in the store's order; brands take turns.
///
/// At most 64 wait. Beyond that, a change of the brand with the most is displaced by one of a brand with fewer; a
/// change without a slot throws ``DirectoryError/busy``. A change takes a few milliseconds, and operators are few.
final class AdministrationGate: Sendable {
    private static let limit = 64

    /// The waiting changes; each is resumed with whether it may run.
    private let line = Mutex(
        FairWorkQueue<BrandID, CheckedContinuation<Bool, Never>>(runningAtOnce: 1, capacity: AdministrationGate.limit)
    )

    /// Runs a brand's change exclusively.
    func run<Result>(
        of brand: BrandID,
        _ change: () async throws(DirectoryError) -> Result
    ) async throws(DirectoryError) -> Result {
        let mayEnter = await withCheckedContinuation { continuation in
            switch line.withLock({ $0.enter(continuation, of: brand) }) {
            case .entered: break
            case .displaced(let other): other.resume(returning: false)
            case .full: continuation.resume(returning: false)
            }
            admitNext()
        }
        guard mayEnter else { throw .busy }
        defer {
            line.withLock { $0.ended(brand) }
            admitNext()
        }
        return try await change()
    }

    private func admitNext() {
        while let (_, next) = line.withLock({ $0.next() }) { next.resume(returning: true) }
    }
}
