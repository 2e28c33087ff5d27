import GatewayModel
import GatewayStorage

/// A messaging window that is open.
struct Window: Sendable {
    var name: ConsumerName
    var device: DeviceID?
    /// The messages that it knows.
    var told: Set<MessageID> = []
}
