package import GatewayStorage

/// Where the hub reaches one open window; any thread, never waits.
package protocol WindowPort: AnyObject, Sendable {
    /// Hands over what commits did, in their order.
    ///
    /// - Parameter news: What they did.
    func post(_ news: [WindowNews.Kind])

    /// Says that the window's session may have ended.
    ///
    /// - Parameter close: What it means if it has.
    func recheck(_ close: WindowClose)
}
