import Delivery
import GatewayModel
import GatewayStorage

/// The messaging windows of this process.
extension Simulation {
    /// Opens a window, by a consumer's name that was not merged into another.
    mutating func openWindow() {
        guard windows.count < 5 else { return }
        var (name, device) = world.window(&random)
        if let key = store.consumerKeys[name.brand]?[name.consumer] { name = store.name(of: key) }
        counts.windows += 1
        var window = Window(name: name, device: device)
        // It shows the existing messages; later commits are sent to it.
        if sabotage != .skipHistory { window.received = store.messages(of: name) }
        windows.append(window)
        writer.presence.open(name, device: device)
        trace.note(40) { "\(name.consumer) opens a window on \(device?.rawValue ?? "-")" }
    }

    /// Sends to windows what a commit did.
    mutating func notifyWindows(_ windowEvents: [WindowEvent]) {
        guard sabotage != .loseNews else { return }
        for event in windowEvents {
            guard case .message(let message) = event.kind else { continue }
            for place in windows.indices where windows[place].name == event.consumer {
                windows[place].received.insert(message.id)
            }
        }
    }

    /// Changes whether a brand's windows hold for all devices of a consumer, for their own only, or for none.
    mutating func changePresence() {
        perDevice = Set(SimulatedWorld.brands.filter { _ in random.chance(40) })
        pushing = Set(SimulatedWorld.brands.filter { !perDevice.contains($0) && random.chance(20) })
        counts.presenceChanges += 1
        writer.presence.set(perDevice: perDevice, pushing: pushing)
        trace.note(43) { "windows hold per device for \(perDevice), nothing for \(pushing)" }
    }

    /// Closes a window, with or without a notice from its device.
    mutating func closeWindow() {
        guard !windows.isEmpty else { return }
        let window = windows.remove(at: random.below(windows.count))
        writer.presence.close(window.name, device: window.device)
        trace.note(41) { "the window of \(window.name.consumer) on \(window.device?.rawValue ?? "-") closes" }
    }

    /// Acknowledges some or all messages of a window.
    mutating func acknowledge() throws(Violation) {
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
        try ask(.read(read))
    }

    mutating func closeWindows() { while !windows.isEmpty { closeWindow() } }
}
