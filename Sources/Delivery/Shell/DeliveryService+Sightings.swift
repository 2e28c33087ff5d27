package import GatewayStorage
import Synchronization

/// When devices were last heard of, noted without a write for each request.
extension DeliveryService {
    /// Says that a device gave a sign of life; a turn of the writer notes it, if the store takes it, within the hour once.
    ///
    /// Any thread; does not wait. When the store fails or too many wait, it is dropped: the device will be heard again.
    ///
    /// - Parameter sighting: The device, and whose it is.
    package func seen(_ sighting: DeviceSighting) {
        let isNew = state.withLock { state in
            guard state.refusal(ofChange: true) == nil, state.seen.count < State.maxSightings else { return false }
            return state.seen.insert(sighting).inserted
        }
        if isNew { signal() }
    }
}

extension DeliveryService.State {
    /// Takes what the next turn notes.
    mutating func takeSightings(atMost limit: Int) -> [DeviceSighting] {
        guard !seen.isEmpty else { return [] }
        let taken = Array(seen.prefix(limit))
        seen.subtract(taken)
        return taken
    }
}
