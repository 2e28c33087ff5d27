package import GatewayStorage

/// An observer that sends what commits did to open windows.
package protocol WindowObserver: Sendable {
    /// Receives what a commit did to consumers that have an open window, in the order in which the commit did it.
    ///
    /// Called after each commit that concerns any, in the order of commits, before the commit's callers are resumed and
    /// from one task at a time; must not block.
    func committed(_ windowEvents: [WindowEvent])
}
