package import GatewayStorage

/// The hub's access to one open window.
///
/// Thread-safe and non-blocking.
package protocol WindowPort: AnyObject, Sendable {
    /// Hands over committed changes, in their order.
    func post(_ windowEvents: [WindowEvent.Kind])

    /// Reports that the window's session may have ended, with the close if it has.
    func recheck(_ close: WindowClose)
}
