package import GatewayModel

/// Sessions that have ended or changed, by what they have in common: whoever holds one of them looks again.
///
/// It says where to look and not what is found, so that it may come late, twice, or beside a new login.
package enum SessionEnd: Sendable, Hashable {
    /// Some of a consumer's: a logout, a merge, an erasure, a login that is one too many; where one device is allowed also
    /// a newer login, or a registration, which tells a session its device. Those that go on are looked up once more.
    case consumer(ConsumerName)
    /// All of a brand that is gone.
    case brand(BrandID)
    /// All that a credential opened, which is revoked.
    case credential(String)
}
