import GatewayModel
import GatewayStorage

/// Rows that wait for an open window.
extension SimulatedStore {
    /// Returns a consumer's own name.
    func name(of consumer: Int64) -> ConsumerName {
        let consumer = consumers[Int(consumer) - 1]
        return ConsumerName(brand: consumer.brand, consumer: consumer.id)
    }

    /// Returns the messages that a newly opened window reads.
    func messages(of name: ConsumerName) -> Set<MessageID> {
        Set(deliveries.compactMap { $0.message }.filter { $0.consumer == name.consumer }.map(\.id))
    }

    func notifyWindows(_ consumer: Int64, _ kind: WindowEvent.Kind, _ context: inout Context) {
        let name = name(of: consumer)
        if context.windows.contains(name) { context.windowEvents.append(WindowEvent(consumer: name, kind: kind)) }
    }

    mutating func release(_ name: ConsumerName, _ context: inout Context) {
        guard let key = consumerKeys[name.brand]?[name.consumer] else { return }
        release(key, &context)
    }

    /// Releases to their lanes the rows that no window holds any more.
    mutating func release(_ consumer: Int64, _ context: inout Context) {
        let name = name(of: consumer)
        for key in consumers[Int(consumer) - 1].registrations {
            guard let found = registration(key), hasLane(found), !context.windows.holds(name, device: found.device)
            else { continue }
            for id in found.pending.reversed() where delivery(id).isHeld {
                if flaw == .suppressesReleased {
                    withdraw(id, .suppressed, by: .windowOpen)
                    continue
                }
                change(id) {
                    $0.isHeld = false
                    $0.owner = nil
                }
                context.held.released += 1
                addWaiting(.agent, of: key, lane: found.lane)
            }
        }
    }
}
