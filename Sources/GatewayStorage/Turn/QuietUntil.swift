package import GatewayModel

/// The end of the quiet hours that hold for a device of a lane with these traits at the time of a start, for which its
/// rows are held back; nil when none hold.
package typealias QuietUntil = @Sendable (_ lane: LaneID, _ traits: DeviceTraits?) -> Timestamp?
