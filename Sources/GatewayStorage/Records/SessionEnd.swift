package import GatewayModel

/// Sessions that have ended or changed, by a common property: the holder of one of them looks it up again.
///
/// It names the sessions to look up and not their state, so that it may come late, twice, or beside a new login.
package enum SessionEnd: Sendable, Hashable {
    /// Some of a consumer's: a logout, a merge, an erasure, or a login above the limit. Where one device is allowed,
    /// also a newer login, or a registration, which binds a session to its device. Those that continue are looked up
    /// once more.
    case consumer(ConsumerName)
    /// All of a deleted brand.
    case brand(BrandID)
    /// All that a revoked credential opened.
    case credential(String)
}
