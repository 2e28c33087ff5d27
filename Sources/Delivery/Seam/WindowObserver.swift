package import GatewayStorage

/// An observer that sends what commits did to open windows.
package protocol WindowObserver: Sendable {
    /// Receives what a commit did to consumers that have an open window.
    ///
    /// Called after each commit that concerns any, in the order of commits, before the commit's callers are resumed and
    /// from one task at a time; must not block.
    ///
    /// - Parameter windowEvents: The events, in the order in which the commit made them.
    func committed(_ windowEvents: [WindowEvent])
}
