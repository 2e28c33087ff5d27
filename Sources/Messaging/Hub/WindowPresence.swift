package import GatewayModel
package import GatewayStorage

/// Who must know which consumers have a window open: the delivery core, which holds back their pushes.
package protocol WindowPresence: Sendable {
    /// A window is open from now on; must not wait.
    ///
    /// - Parameters:
    ///   - name: Whose it is.
    ///   - device: The device that it is on, if it is named.
    func windowOpened(_ name: ConsumerName, device: DeviceID?)

    /// A window that was opened is closed: what it has not acknowledged is pushed; must not wait.
    ///
    /// - Parameters:
    ///   - name: Whose it was.
    ///   - device: The device that it was opened with.
    func windowClosed(_ name: ConsumerName, device: DeviceID?)
}

/// Nobody: for a gateway whose pushes do not heed windows.
package struct NoPresence: WindowPresence {
    /// Makes one.
    package init() {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - name: Whose it is.
    ///   - device: The device that it is on.
    package func windowOpened(_ name: ConsumerName, device: DeviceID?) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - name: Whose it was.
    ///   - device: The device that it was opened with.
    package func windowClosed(_ name: ConsumerName, device: DeviceID?) {}
}
