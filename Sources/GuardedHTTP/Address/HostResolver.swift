/// Finds all addresses of a host.
package protocol HostResolver: Sendable {
    /// Looks a name up, once; returns at once when the caller's task is cancelled, whatever the look-up does.
    ///
    /// - Parameter host: The name.
    /// - Returns: All its addresses; empty when there are none or nobody answered.
    func addresses(of host: String) async -> [InternetAddress]
}
