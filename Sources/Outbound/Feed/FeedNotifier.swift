internal import FairSharing
package import GatewayModel
import Synchronization

/// Wakes the readers that wait for a brand's outbound items.
///
/// Thread-safe.
///
/// A notification between a reader's query of the feed and its wait is not lost: a reader names the last one that it saw.
package final class FeedNotifier: Sendable {
    /// The maximum of waiting readers for one brand: two for each of its subscriptions.
    package static let waitersPerBrand = 64
    /// The maximum of waiting readers, shared fairly among brands.
    ///
    /// Each holds a connection and one of the server's request slots.
    package static let waiters = 512

    /// The reason why a wait ended.
    package enum Ending: Sendable, Equatable {
        /// There may be something new.
        case notified
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
        var lastNotification: [BrandID: UInt64] = [:]
        var waiting: [BrandID: [Waiter]] = [:]
        var slots: FairSlots<BrandID>
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Creates a notifier that never notified, with the maximum numbers of waiting readers.
    package init(limit: Int = FeedNotifier.waiters, limitPerBrand: Int = FeedNotifier.waitersPerBrand) {
        state = Mutex(State(slots: FairSlots(capacity: limit, capacityPerOwner: limitPerBrand)))
    }

    /// Returns the number of a brand's last notification, for ``wait(_:after:atMost:)``; 0 when there was none.
    package func lastNotification(_ brand: BrandID) -> UInt64 { state.withLock { $0.lastNotification[brand] ?? 0 } }

    /// The number of waiting readers.
    package var waiting: Int { state.withLock { $0.slots.count } }

    /// Wakes all readers that wait for a brand.
    package func notify(_ brand: BrandID) {
        let woken = state.withLock { state in
            state.lastNotification[brand, default: 0] += 1
            let woken = state.waiting.removeValue(forKey: brand) ?? []
            state.slots.release(brand, woken.count)
            return woken
        }
        for waiter in woken { waiter.continuation.resume(returning: .notified) }
    }

    /// Hands an item that is not stored to the readers that wait for such items at this moment.
    package func pass(_ item: PassingItem, to brand: BrandID) {
        let woken = state.withLock { state -> [Waiter] in
            guard let waiting = state.waiting[brand] else { return [] }
            let woken = waiting.filter(\.wantsPassing)
            guard !woken.isEmpty else { return [] }
            state.waiting[brand] = waiting.filter { !$0.wantsPassing }
            state.slots.release(brand, woken.count)
            return woken
        }
        for waiter in woken { waiter.continuation.resume(returning: .passed(item)) }
    }

    /// Wakes all readers; later waits end at once.
    package func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            for (brand, waiting) in state.waiting { state.slots.release(brand, waiting.count) }
            defer { state.waiting = [:] }
            return state.waiting.values.flatMap { $0 }
        }
        for waiter in woken { waiter.continuation.resume(returning: .over) }
    }

    /// Waits for the next notification.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - lastNotification: The last notification that the reader saw; a later one ends the wait at once.
    ///   - limit: The timeout; nil for none.
    ///   - wantsPassing: Whether an item that is not stored ends the wait too.
    /// - Returns: The reason why it ended.
    package func wait(
        _ brand: BrandID,
        after lastNotification: UInt64,
        atMost limit: Duration?,
        wantsPassing: Bool = false
    ) async -> Ending {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask { await self.waitForNotification(brand, after: lastNotification, wantsPassing: wantsPassing) }
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

    private func waitForNotification(_ brand: BrandID, after lastNotification: UInt64, wantsPassing: Bool) async
        -> Ending
    {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ending: Ending? = state.withLock { state in
                    if state.isClosed || Task.isCancelled { return .over }
                    if state.lastNotification[brand] ?? 0 > lastNotification { return .notified }
                    guard state.slots.take(brand) else { return .full }
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
                state.slots.release(brand)
                return state.waiting[brand]?.remove(at: index)
            }
            waiter?.continuation.resume(returning: .over)
        }
    }
}
