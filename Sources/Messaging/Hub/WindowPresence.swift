package import GatewayModel
package import GatewayStorage

/// The subscriber to presence: the delivery core, which holds back the pushes of consumers with an open window.
package protocol WindowPresence: Sendable {
    /// Records that a window is open from now on, on a device if it is known; must not block.
    func windowOpened(_ name: ConsumerName, device: DeviceID?)

    /// Records that a window is closed, with the device that it was opened with: messages that it has not acknowledged
    /// are pushed; must not block.
    func windowClosed(_ name: ConsumerName, device: DeviceID?)
}
