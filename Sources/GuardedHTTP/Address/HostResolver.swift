/// A resolver of host names.
package protocol HostResolver: Sendable {
    /// Looks a name up, once; returns at once when the caller's task is cancelled, even if the lookup continues.
    ///
    /// `owner` is the brand that set the name and has a share of the lookups; empty for the gateway itself, where each
    /// name has a share.
    ///
    /// - Returns: All its addresses; empty when there are none or no name server responded.
    func addresses(of host: String, for owner: String) async -> [InternetAddress]
}
