import Delivery
import GatewayModel
import GatewayStorage

/// The messaging windows of this process.
extension Simulation {
    /// A window opens, by the name that leads nowhere else now.
    mutating func openWindow() {
        guard windows.count < 5 else { return }
        var (name, device) = world.window(&random)
        if let key = store.consumerKeys[name.brand]?[name.consumer] { name = store.name(of: key) }
        counts.windows += 1
        windows.append((name, device))
        writer.presence.open(name, device: device)
        trace.note(40) { "\(name.consumer) opens a window on \(device?.rawValue ?? "-")" }
    }

    /// One closes, with or without a word from its device.
    mutating func closeWindow() {
        guard !windows.isEmpty else { return }
        let window = windows.remove(at: random.below(windows.count))
        writer.presence.close(window.name, device: window.device)
        trace.note(41) { "the window of \(window.name.consumer) on \(window.device?.rawValue ?? "-") closes" }
    }

    /// A window acknowledges what it was sent, or some of it.
    mutating func acknowledge() {
        guard !windows.isEmpty, writer.pendingChanges < 8 else { return }
        let window = windows[random.below(windows.count)]
        guard let key = store.consumerKeys[window.name.brand]?[window.name.consumer] else { return }
        let conversations = store.consumers[Int(key) - 1].conversations
        guard !conversations.isEmpty else { return }
        let conversation = store.conversations[Int(conversations[random.below(conversations.count)]) - 1]
        let sequence = max(conversation.lastSequence - Int64(random.below(3)), 0)
        let read = ReadRequest(
            brand: window.name.brand,
            consumer: window.name.consumer,
            conversation: conversation.name,
            target: .sequence(sequence),
            device: window.device
        )
        trace.note(42, sequence) { "\(window.name.consumer) acknowledges \(conversation.name) up to \(sequence)" }
        ask(.read(read))
    }

    mutating func closeWindows() { while !windows.isEmpty { closeWindow() } }
}
