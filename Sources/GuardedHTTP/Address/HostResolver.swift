/// Finds all addresses of a host.
package protocol HostResolver: Sendable {
    /// Looks a name up, once; returns at once when the caller's task is cancelled, whatever the look-up does.
    ///
    /// - Parameters:
    ///   - host: The name.
    ///   - owner: The brand that chose it, which has its share of the look-ups; empty for the gateway itself, each of whose
    ///     names has one.
    /// - Returns: All its addresses; empty when there are none or nobody answered.
    func addresses(of host: String, for owner: String) async -> [InternetAddress]
}
