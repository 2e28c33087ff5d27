package import GatewayModel
package import GatewayStorage

/// The subscriber to presence: the delivery core, which holds back the pushes of consumers with an open window.
package protocol WindowPresence: Sendable {
    /// Records that a window is open from now on; must not block.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device that it is on, if known.
    func windowOpened(_ name: ConsumerName, device: DeviceID?)

    /// Records that a window is closed: messages that it has not acknowledged are pushed; must not block.
    ///
    /// - Parameters:
    ///   - name: The consumer.
    ///   - device: The device that it was opened with.
    func windowClosed(_ name: ConsumerName, device: DeviceID?)
}
