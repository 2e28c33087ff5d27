import Delivery
import GatewayModel
import GatewayStorage

extension Checker {
    /// Checks the rows that wait for windows, every few steps.
    ///
    /// The release of consumers in `releasing` is in a turn that is not applied yet; `windows` is nil while a commit
    /// has not been sent to them yet.
    func checkWindows(
        _ store: SimulatedStore,
        _ presence: Presence,
        releasing: [ConsumerName],
        windows: [Window]?
    ) throws(Violation) {
        let due = Set(releasing.compactMap { store.consumerKeys[$0.brand]?[$0.consumer] })
        for id in store.pending where store.delivery(id).isHeld {
            let row = store.delivery(id)
            // It waits for housekeeping.
            if deletedLanes.contains(row.lane) { continue }
            try expect(.heldForAWindow, row.owner == IncarnationID(store.incarnation)) {
                "delivery \(id) is held for a window of incarnation \(row.owner.map { "\($0)" } ?? "none")"
            }
            try expect(.heldForAWindow, row.message?.kind == .agent) { "delivery \(id) is held and is not an agent's" }
            guard let device = store.registration(row.registration)?.device else { continue }
            let name = store.name(of: row.consumer)
            let isHeld = presence.windows.holds(name, device: device)
            try expect(.heldForAWindow, isHeld || presence.isReleasing(name) || due.contains(row.consumer)) {
                "delivery \(id) waits for a window, and \(name.consumer) has none"
            }
            // Windows of merged consumers know about the merge.
            guard let windows, isHeld, !presence.isReleasing(name), !due.contains(row.consumer),
                let message = row.message, message.consumer == name.consumer
            else { continue }
            let own = windows.filter { $0.name == name }
            try expect(.heldIsTold, own.allSatisfy { $0.received.contains(message.id) }) {
                "delivery \(id) waits for a window of \(name.consumer) that did not receive it"
            }
        }
        for (index, row) in store.deliveries.enumerated() where row.state == .suppressed {
            switch row.suppressedBy {
            case .quietHours: continue
            case .collapsed:
                try expect(.summaryStands, tracked[index].summarizedBy > 0) {
                    "no summary stood for delivery \(index + 1), which ended as summarized"
                }
                continue
            default: break
            }
            let mark = row.conversation.map { ledger.marks[Int($0) - 1] } ?? 0
            try expect(.suppressedWasRead, row.sequence <= mark && row.wasHeld) {
                "delivery \(index + 1) was suppressed because of a window, and nobody has read it"
            }
        }
    }
}
