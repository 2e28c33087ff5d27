internal import FairSharing
internal import GatewayModel
internal import Synchronization

/// Lets administrative changes through one by one, so that memory changes in the store's order; brands take turns.
///
/// At most 64 wait; beyond, the brand with the most gives way to one with less, and who has no place is told
/// ``DirectoryError/busy``. A change is a few milliseconds, and operators are few.
final class AdministrationGate: Sendable {
    private static let limit = 64

    /// Those who wait are told whether they may go in.
    private let line = Mutex(
        FairLine<BrandID, CheckedContinuation<Bool, Never>>(runningAtOnce: 1, capacity: AdministrationGate.limit)
    )

    /// Runs a change of a brand alone.
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
