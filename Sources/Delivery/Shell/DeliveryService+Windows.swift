import CoreMetrics
package import GatewayModel
package import GatewayStorage
import Synchronization
import Telemetry

/// Messaging windows: agents' messages are held for them instead of being pushed (Architecture page, 7).
extension DeliveryService {
    /// Notes that a consumer's messaging window opened: agents' messages of turns that begin from now on are held for
    /// it.
    ///
    /// A turn that is under way may still push, and sends nothing to the window: read what the window missed from the
    /// store after ``settle()``. The consumer's id was not merged into another; the window's device is given if it is
    /// named. Callable from any thread; does not wait.
    package func windowOpened(_ name: ConsumerName, device: DeviceID?) {
        state.withLock { $0.writer.presence.open(name, device: device) }
        if let device { seen(DeviceSighting(consumer: name, device: device)) }
    }

    /// Waits until a turn that was under way has ended; returns at once when none was.
    ///
    /// After it, the contents of the store and what the observer receives for a window that opened before leave no gap;
    /// the same event may arrive both ways.
    package func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if !state.writer.isInTurn { return true }
                state.settling.append(continuation)
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Notes that a consumer's messaging window closed: what no other window holds is pushed, from the next turn that
    /// the store commits, however long it fails before.
    ///
    /// Call it once for each ``windowOpened(_:device:)``, with the same name, even if it was merged into another since,
    /// and the same device. Callable from any thread; does not wait.
    package func windowClosed(_ name: ConsumerName, device: DeviceID?) {
        state.withLock { $0.writer.presence.close(name, device: device) }
        signal()
    }

    /// Sets how brands want windows to hold pushes; what is no longer held is pushed.
    package func setPresence(of brands: [Brand]) {
        let perDevice = Set(brands.filter { $0.settings.presence == .device }.map(\.id))
        let pushing = Set(brands.filter { !$0.settings.suppressWhileWindowOpen }.map(\.id))
        let hasReleases = state.withLock { state in
            state.writer.presence.set(perDevice: perDevice, pushing: pushing)
            return state.writer.presence.hasReleases
        }
        if hasReleases { signal() }
    }

    /// Sets the observer that sends commits' results to windows; there is one at a time.
    package func observe(windows: any WindowObserver) { observer.withLock { $0 = windows } }

    /// Notifies windows, and counts the results of held rows.
    func notifyWindows(_ result: WriterTurnResult) {
        let events = result.updates.windowEvents
        if !events.isEmpty { observer.withLock { $0 }?.committed(events) }
        guard result.held != HeldCounts() else { return }
        metrics.heldRows[.held].increment(by: result.held.made)
        metrics.heldRows[.released].increment(by: result.held.released)
        metrics.heldRows[.suppressed].increment(by: result.held.suppressed)
    }
}
