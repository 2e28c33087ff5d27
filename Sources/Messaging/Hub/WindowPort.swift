package import GatewayStorage

/// The hub's access to one open window.
///
/// Thread-safe and non-blocking.
package protocol WindowPort: AnyObject, Sendable {
    /// Hands over committed changes, in their order.
    ///
    /// - Parameter windowEvents: The changes.
    func post(_ windowEvents: [WindowEvent.Kind])

    /// Reports that the window's session may have ended.
    ///
    /// - Parameter close: The close if it has ended.
    func recheck(_ close: WindowClose)
}
