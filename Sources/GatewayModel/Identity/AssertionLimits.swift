/// The limits of the assertions that a credential verifies, beyond their signatures.
///
/// They encode flat, next to the other members of the credential.
package struct AssertionLimits: Codable, Sendable, Equatable {
    /// The maximum time from `iat` to `exp`, in seconds; nil for no limit.
    package var maxLifetimeSeconds: Int64?
    /// Whether an assertion is accepted only once, and must have a `jti`.
    package var singleUse: Bool

    /// The range of ``maxLifetimeSeconds``: up to a year.
    package static let lifetimeSeconds: ClosedRange<Int64> = 1...31_536_000
    /// The ``maxLifetimeSeconds`` of a new credential that does not set it: a day, which is longer than the lifetime of
    /// the usual providers' id tokens.
    package static let defaultLifetimeSeconds: Int64 = 86_400

    private enum CodingKeys: String, CodingKey {
        case maxLifetimeSeconds, singleUse
    }

    /// Creates limits; by default there are none.
    package init(maxLifetimeSeconds: Int64? = nil, singleUse: Bool = false) {
        self.maxLifetimeSeconds = maxLifetimeSeconds
        self.singleUse = singleUse
    }

    /// Decodes the flat members; a credential of a version without them has no limits.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        maxLifetimeSeconds = try members.decodeIfPresent(Int64.self, forKey: .maxLifetimeSeconds)
        singleUse = try members.decodeIfPresent(Bool.self, forKey: .singleUse) ?? false
    }
}
