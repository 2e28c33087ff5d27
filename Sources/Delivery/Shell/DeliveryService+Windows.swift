import CoreMetrics
package import GatewayModel
package import GatewayStorage
import Synchronization
import Telemetry

/// Messaging windows: agents' messages are held for them instead of being pushed (Architecture page, 7).
extension DeliveryService {
    /// Says that a consumer's messaging window opened: agents' messages of turns that begin from now on are held for it.
    ///
    /// A turn that is under way may still push, and tells the window nothing: whoever reads from the store what the window
    /// missed does so after ``settle()``. Any thread; does not wait.
    ///
    /// - Parameters:
    ///   - name: Whose it is: the id that leads nowhere else.
    ///   - device: The device that it is open on, if it is named.
    package func windowOpened(_ name: ConsumerName, device: DeviceID?) {
        state.withLock { $0.writer.presence.open(name, device: device) }
        if let device { seen(DeviceSighting(consumer: name, device: device)) }
    }

    /// Waits until a turn that was under way has ended; returns at once when none was.
    ///
    /// After it, what the store has and what the observer is told of a window that opened before it leave no gap; the
    /// same news may come by both.
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

    /// Says that a consumer's messaging window closed: what no other window holds is pushed, from the writer's next turn
    /// that the store takes, however long that fails.
    ///
    /// Call once for each ``windowOpened(_:device:)``. Any thread; does not wait.
    ///
    /// - Parameters:
    ///   - name: Whose it was, by the name that it was opened with, also when that leads to another by now.
    ///   - device: The device that it was opened with.
    package func windowClosed(_ name: ConsumerName, device: DeviceID?) {
        state.withLock { $0.writer.presence.close(name, device: device) }
        signal()
    }

    /// Says how brands want windows to hold pushes back; what they hold no longer is pushed.
    ///
    /// - Parameter brands: All brands.
    package func setPresence(of brands: [Brand]) {
        let perDevice = Set(brands.filter { $0.settings.presence == .device }.map(\.id))
        let pushing = Set(brands.filter { !$0.settings.suppressWhileWindowOpen }.map(\.id))
        let hasReleases = state.withLock { state in
            state.writer.presence.set(perDevice: perDevice, pushing: pushing)
            return state.writer.presence.hasReleases
        }
        if hasReleases { signal() }
    }

    /// Sets who tells windows of what commits did; one at a time.
    ///
    /// - Parameter windows: Who does.
    package func observe(windows: any WindowObserver) { observer.withLock { $0 = windows } }

    /// Tells windows, and counts what became of held rows.
    func tellWindows(_ result: WriterTurnResult, of turn: WriterTurn) {
        if !result.news.isEmpty { observer.withLock { $0 }?.committed(Self.withOrigins(result.news, of: turn)) }
        guard result.held != HeldCounts() else { return }
        metrics.heldRows[.held].increment(by: result.held.made)
        metrics.heldRows[.released].increment(by: result.held.released)
        metrics.heldRows[.suppressed].increment(by: result.held.suppressed)
    }

    /// Says of messages which windows they came through.
    private static func withOrigins(_ news: [WindowNews], of turn: WriterTurn) -> [WindowNews] {
        var origins: [MessageID: WindowID] = [:]
        for case .write(let message) in turn.changes { origins[message.messageID] = message.window }
        guard !origins.isEmpty else { return news }
        var news = news
        for index in news.indices {
            if case .message(let message) = news[index].kind { news[index].origin = origins[message.id] }
        }
        return news
    }
}
