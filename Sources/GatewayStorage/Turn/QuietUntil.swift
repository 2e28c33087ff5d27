package import GatewayModel

/// Until when it is quiet for a device of a lane with these traits, so that its rows are held back at the time of a start; nil
/// when it is not.
package typealias QuietUntil = @Sendable (_ lane: LaneID, _ traits: DeviceTraits?) -> Timestamp?
