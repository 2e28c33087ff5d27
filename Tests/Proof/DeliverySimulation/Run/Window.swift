import GatewayModel
import GatewayStorage

/// An open messaging window.
struct Window: Sendable {
    var name: ConsumerName
    var device: DeviceID?
    /// The messages that it has received.
    var received: Set<MessageID> = []
}
