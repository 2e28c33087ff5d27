import CoreMetrics
internal import Delivery
package import GatewayModel
package import GatewayStorage
import Synchronization
package import Telemetry

/// The registry of open windows: passes committed changes on to them, reports presence and has them check their
/// sessions.
///
/// Thread-safe and non-blocking. It calls others outside its lock.
package final class WindowHub: WindowObserver, Sendable {
    private struct Entry {
        var port: any WindowPort
        var device: DeviceID?
        var credential: String?
    }

    private struct State {
        /// By consumer, and by an id that is never reused.
        var windows: [ConsumerName: [WindowID: Entry]] = [:]
        var nextID: UInt64 = 0
        var typing = TypingLimiter()
    }

    private let state = Mutex(State())
    private let presence: any WindowPresence
    private let metrics: WindowMetrics
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a hub without windows.
    ///
    /// - Parameters:
    ///   - presence: The subscriber to presence.
    ///   - metrics: The metrics.
    ///   - now: The time, for the rate limit of typing.
    package init(
        presence: any WindowPresence,
        metrics: WindowMetrics,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.presence = presence
        self.metrics = metrics
        self.now = now
    }

    // MARK: Opening and closing

    /// Registers an authenticated window: from now on it receives changes, and pushes are held back for it.
    ///
    /// - Parameters:
    ///   - port: The window's port.
    ///   - session: Its session.
    ///   - device: The device that it is on, if known.
    /// - Returns: Its ticket; nil when the consumer has too many windows.
    package func open(_ port: any WindowPort, session: StoredSession, device: DeviceID?) -> WindowTicket? {
        let name = ConsumerName(brand: session.brand, consumer: session.consumer)
        let entry = Entry(port: port, device: device, credential: session.credential)
        let ticket: WindowTicket? = state.withLock { state in
            guard state.windows[name]?.count ?? 0 < WindowLimits.maxPerConsumer else { return nil }
            state.nextID += 1
            let id = WindowID(state.nextID)
            state.windows[name, default: [:]][id] = entry
            return WindowTicket(name: name, id: id, device: device)
        }
        guard let ticket else { return nil }
        presence.windowOpened(name, device: device)
        metrics.opened.increment()
        return ticket
    }

    /// Records another session of the same consumer for a window.
    package func renew(_ ticket: WindowTicket, session: StoredSession) {
        state.withLock { $0.windows[ticket.name]?[ticket.id]?.credential = session.credential }
    }

    /// Unregisters a closed window, once: it receives no more changes, and messages that it has not acknowledged are
    /// pushed.
    package func close(_ ticket: WindowTicket) {
        state.withLock { state in
            state.windows[ticket.name]?[ticket.id] = nil
            if state.windows[ticket.name]?.isEmpty ?? false { state.windows[ticket.name] = nil }
        }
        presence.windowClosed(ticket.name, device: ticket.device)
    }

    // MARK: Changes

    /// Passes what a commit changed on to the windows that it concerns, in its order, except the one that caused it.
    package func committed(_ windowEvents: [WindowEvent]) {
        // One commit may hold many changes for one consumer: each window is called once for a run of them.
        var start = 0
        while start < windowEvents.count {
            let (name, origin) = (windowEvents[start].consumer, windowEvents[start].origin)
            var end = start + 1
            while end < windowEvents.count, windowEvents[end].consumer == name, windowEvents[end].origin == origin {
                end += 1
            }
            let ports = ports(of: name, but: origin)
            if !ports.isEmpty {
                let kinds = windowEvents[start..<end].map(\.kind).filter { isWorthSending($0, name) }
                if !kinds.isEmpty { for port in ports { port.post(kinds) } }
            }
            start = end
        }
    }

    private func isWorthSending(_ kind: WindowEvent.Kind, _ name: ConsumerName) -> Bool {
        guard case .typing(let conversation, let byConsumer) = kind else { return true }
        return admitsTyping(name, conversation, byConsumer: byConsumer)
    }

    /// Returns whether typing was last passed on a second ago or longer; if so, it counts as passed on now.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - conversation: The conversation; need not be the consumer's.
    ///   - byConsumer: Whether the consumer types.
    /// - Returns: Whether to pass it on.
    package func admitsTyping(_ name: ConsumerName, _ conversation: ConversationID, byConsumer: Bool) -> Bool {
        let side = TypingLimiter.Side(consumer: name, conversation: conversation, byConsumer: byConsumer)
        let now = now()
        return state.withLock { $0.typing.admits(side, now: now) }
    }

    /// Passes a consumer's typing on to its other windows.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - conversation: One of its conversations, for which ``admitsTyping(_:_:byConsumer:)`` has returned true.
    ///   - window: The window in which it types.
    package func types(_ name: ConsumerName, _ conversation: ConversationID, in window: WindowID) {
        for port in ports(of: name, but: window) { port.post([.typing(conversation, byConsumer: true)]) }
    }

    private func ports(of name: ConsumerName, but origin: WindowID? = nil) -> [any WindowPort] {
        state.withLock { state in
            guard let windows = state.windows[name] else { return [] }
            guard let origin, windows[origin] != nil else { return windows.values.map(\.port) }
            return windows.filter { $0.key != origin }.values.map(\.port)
        }
    }

    // MARK: Ends of sessions

    /// Has the windows concerned check whether the sessions that ended still exist.
    package func sessionsEnded(_ end: SessionEnd) {
        let (ports, close): ([any WindowPort], WindowClose) =
            switch end {
            case .consumer(let name): (ports(of: name), .loggedOut)
            case .brand(let brand): (ports { name, _ in name.brand == brand }, .revoked)
            case .credential(let id): (ports { $1.credential == id }, .revoked)
            }
        for port in ports { port.recheck(close) }
    }

    /// Scans all windows while the store's writer waits: it is rare that all sessions of a brand or a credential end.
    private func ports(where isConcerned: (ConsumerName, Entry) -> Bool) -> [any WindowPort] {
        state.withLock { state in
            var found: [any WindowPort] = []
            for (name, entries) in state.windows {
                for entry in entries.values where isConcerned(name, entry) { found.append(entry.port) }
            }
            return found
        }
    }
}

/// A window's registration at the hub.
package struct WindowTicket: Sendable {
    let name: ConsumerName
    /// The window's own id.
    package let id: WindowID
    let device: DeviceID?
}
