internal import FairSharing
package import GatewayModel
import Synchronization

/// Wakes the readers that wait for a brand's outbound items.
///
/// Thread-safe.
///
/// A ring between a reader's look at the feed and its wait is not lost: a reader names the last ring that it saw.
package final class OutboundBell: Sendable {
    /// The maximum of waiting readers for one brand: two for each of its subscriptions.
    package static let waitersPerBrand = 64
    /// The maximum of waiting readers, shared fairly among brands.
    ///
    /// Each holds a connection and one of the server's request slots.
    package static let waiters = 512

    /// The reason why a wait ended.
    package enum Ending: Sendable, Equatable {
        /// There may be something new.
        case rung
        /// An item that is not stored was published.
        case passed(PassingItem)
        /// The timeout passed, the task was cancelled or the gateway stops.
        case over
        /// Too many readers wait already.
        case full
    }

    private struct Waiter {
        var number: UInt64
        var wantsPassing: Bool
        var continuation: CheckedContinuation<Ending, Never>
    }

    private struct State {
        var rings: [BrandID: UInt64] = [:]
        var waiting: [BrandID: [Waiter]] = [:]
        var places: FairPlaces<BrandID>
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Creates a bell that was never rung.
    ///
    /// - Parameters:
    ///   - limit: The maximum of waiting readers.
    ///   - limitPerBrand: The maximum of waiting readers for one brand.
    package init(limit: Int = OutboundBell.waiters, limitPerBrand: Int = OutboundBell.waitersPerBrand) {
        state = Mutex(State(places: FairPlaces(capacity: limit, capacityPerOwner: limitPerBrand)))
    }

    /// Returns the number of a brand's last ring, for ``wait(_:after:atMost:)``.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: 0 when it was never rung.
    package func rings(_ brand: BrandID) -> UInt64 { state.withLock { $0.rings[brand] ?? 0 } }

    /// The number of waiting readers.
    package var waiting: Int { state.withLock { $0.places.count } }

    /// Wakes all readers that wait for a brand.
    ///
    /// - Parameter brand: The brand.
    package func ring(_ brand: BrandID) {
        let woken = state.withLock { state in
            state.rings[brand, default: 0] += 1
            let woken = state.waiting.removeValue(forKey: brand) ?? []
            state.places.giveBack(brand, woken.count)
            return woken
        }
        for waiter in woken { waiter.continuation.resume(returning: .rung) }
    }

    /// Hands an item that is not stored to the readers that wait for such items at this moment.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - brand: The brand.
    package func pass(_ item: PassingItem, to brand: BrandID) {
        let woken = state.withLock { state -> [Waiter] in
            guard let waiting = state.waiting[brand] else { return [] }
            let woken = waiting.filter(\.wantsPassing)
            guard !woken.isEmpty else { return [] }
            state.waiting[brand] = waiting.filter { !$0.wantsPassing }
            state.places.giveBack(brand, woken.count)
            return woken
        }
        for waiter in woken { waiter.continuation.resume(returning: .passed(item)) }
    }

    /// Wakes all readers; later waits end at once.
    package func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            for (brand, waiting) in state.waiting { state.places.giveBack(brand, waiting.count) }
            defer { state.waiting = [:] }
            return state.waiting.values.flatMap { $0 }
        }
        for waiter in woken { waiter.continuation.resume(returning: .over) }
    }

    /// Waits for the next ring.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - rings: The last ring that the reader saw; a later one ends the wait at once.
    ///   - limit: The timeout; nil for none.
    ///   - wantsPassing: Whether an item that is not stored ends the wait too.
    /// - Returns: The reason why it ended.
    package func wait(
        _ brand: BrandID,
        after rings: UInt64,
        atMost limit: Duration?,
        wantsPassing: Bool = false
    ) async -> Ending {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask { await self.waitForRing(brand, after: rings, wantsPassing: wantsPassing) }
            if let limit {
                group.addTask {
                    try? await Task.sleep(for: limit)
                    return .over
                }
            }
            let ending = await group.next() ?? .over
            group.cancelAll()
            return ending
        }
    }

    private func waitForRing(_ brand: BrandID, after rings: UInt64, wantsPassing: Bool) async -> Ending {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ending: Ending? = state.withLock { state in
                    if state.isClosed || Task.isCancelled { return .over }
                    if state.rings[brand] ?? 0 > rings { return .rung }
                    guard state.places.take(brand) else { return .full }
                    state.waiting[brand, default: []].append(
                        Waiter(number: number, wantsPassing: wantsPassing, continuation: continuation)
                    )
                    return nil
                }
                if let ending { continuation.resume(returning: ending) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiting[brand]?.firstIndex(where: { $0.number == number }) else { return nil }
                state.places.giveBack(brand)
                return state.waiting[brand]?.remove(at: index)
            }
            waiter?.continuation.resume(returning: .over)
        }
    }
}
