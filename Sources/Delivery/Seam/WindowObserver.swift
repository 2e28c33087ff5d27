package import GatewayStorage

/// Who carries news to open windows.
package protocol WindowObserver: Sendable {
    /// Takes what a commit did to consumers that have an open window.
    ///
    /// Called after each commit that has any, in the order of commits, before those who waited for the commit are
    /// answered and from one task at a time; must not wait.
    ///
    /// - Parameter news: In the order in which the commit did them.
    func committed(_ news: [WindowNews])
}
