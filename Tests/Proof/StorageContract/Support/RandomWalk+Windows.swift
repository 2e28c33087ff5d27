import GatewayModel
import GatewayStorage
import Testing

/// Messaging windows of the walk.
extension RandomWalk {
    /// Opens and closes windows before a turn; returns the consumers of closed ones.
    mutating func moveWindows() -> [ConsumerName] {
        var closed: [ConsumerName] = []
        if chance(20), windows.count < 6 {
            let device = chance(70) ? DeviceID(trusted: "d-\(Int.random(in: 0..<9, using: &random))") : nil
            windows.append((f.name(any(consumers)), device))
            f.windows.open(windows[windows.count - 1].name, device: device)
        }
        while chance(25), !windows.isEmpty {
            let window = windows.remove(at: Int.random(in: 0..<windows.count, using: &random))
            f.windows.close(window.name, device: window.device)
            closed.append(window.name)
        }
        return closed
    }

    func isHeld(_ consumer: String, _ device: DeviceID) -> Bool {
        f.windows.holds(f.name(model.name(consumer)), device: device)
    }

    func checkWindows(_ turn: WriterTurn, _ result: WriterTurnResult) {
        #expect(result.held.released == released)
        var reported = 0
        for (input, response) in zip(turn.accepts[0].events, result.accepts[0]) {
            guard case .accepted(let accepted) = response, accepted.messageID != nil else { continue }
            if turn.windows.contains(f.name(model.name(input.event.consumer.rawValue))) { reported += 1 }
        }
        #expect(result.windowEvents.count { if case .message = $0.kind { true } else { false } } == reported)
        #expect(result.windowEvents.allSatisfy { turn.windows.contains($0.consumer) })
    }
}
