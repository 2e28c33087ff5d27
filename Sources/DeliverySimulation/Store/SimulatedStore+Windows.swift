import GatewayModel
import GatewayStorage

/// Rows that wait for an open window.
extension SimulatedStore {
    /// A consumer's own name.
    func name(of consumer: Int64) -> ConsumerName {
        let consumer = consumers[Int(consumer) - 1]
        return ConsumerName(brand: consumer.brand, consumer: consumer.id)
    }

    func tell(_ consumer: Int64, _ kind: WindowNews.Kind, _ context: inout Context) {
        let name = name(of: consumer)
        if context.windows.contains(name) { context.news.append(WindowNews(consumer: name, kind: kind)) }
    }

    mutating func release(_ name: ConsumerName, _ context: inout Context) {
        guard let key = consumerKeys[name.brand]?[name.consumer] else { return }
        release(key, &context)
    }

    /// Gives to their lanes what no window holds any more.
    mutating func release(_ consumer: Int64, _ context: inout Context) {
        let name = name(of: consumer)
        for key in consumers[Int(consumer) - 1].registrations {
            guard let found = registration(key), !context.windows.holds(name, device: found.device) else { continue }
            for id in found.pending.reversed() where delivery(id).isHeld {
                if flaw == .suppressesReleased {
                    withdraw(id, .suppressed, by: .windowOpen)
                    continue
                }
                let (due, notBefore) = dueInOrder(id, among: found.pending, now: context.now)
                change(id) {
                    $0.isHeld = false
                    $0.owner = nil
                    $0.due = due
                    $0.notBefore = notBefore
                }
                context.held.released += 1
                context.waiting.insert(key)
                context.unowned.append(id)
            }
        }
    }

    /// With the first younger row that waits; else now, but not before the last older one.
    private func dueInOrder(
        _ id: Int64,
        among siblings: [Int64],
        now: Timestamp
    ) -> (due: Timestamp, notBefore: Timestamp) {
        let waiting = siblings.filter { delivery($0).owner == nil }
        if let younger = waiting.first(where: { $0 > id }) {
            return (delivery(younger).due, delivery(younger).notBefore)
        }
        guard let older = waiting.last(where: { $0 < id }) else { return (now, Timestamp(milliseconds: 0)) }
        return (max(now, delivery(older).due), delivery(older).notBefore)
    }
}
