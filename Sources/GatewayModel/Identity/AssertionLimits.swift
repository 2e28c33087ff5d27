/// Limits of the assertions that a credential verifies, beyond their signatures.
///
/// Encodes flat, beside the other members of the credential.
package struct AssertionLimits: Codable, Sendable, Equatable {
    /// The longest time from `iat` to `exp`, in seconds; nil sets no limit.
    package var maxLifetimeSeconds: Int64?
    /// Whether an assertion is accepted once only, and must have a `jti`.
    package var singleUse: Bool

    /// The range of ``maxLifetimeSeconds``: up to a year.
    package static let lifetimeSeconds: ClosedRange<Int64> = 1...31_536_000
    /// The ``maxLifetimeSeconds`` of a new credential that names none: a day, which is longer than the id tokens of the
    /// usual providers live.
    package static let defaultLifetimeSeconds: Int64 = 86_400

    private enum CodingKeys: String, CodingKey {
        case maxLifetimeSeconds, singleUse
    }

    /// Takes limits; the defaults limit nothing.
    ///
    /// - Parameters:
    ///   - maxLifetimeSeconds: The longest time from `iat` to `exp`.
    ///   - singleUse: Whether an assertion is accepted once only.
    package init(maxLifetimeSeconds: Int64? = nil, singleUse: Bool = false) {
        self.maxLifetimeSeconds = maxLifetimeSeconds
        self.singleUse = singleUse
    }

    /// Reads the flat members; a credential of a version that had none limits nothing.
    ///
    /// - Parameter decoder: Holds them.
    /// - Throws: `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        maxLifetimeSeconds = try members.decodeIfPresent(Int64.self, forKey: .maxLifetimeSeconds)
        singleUse = try members.decodeIfPresent(Bool.self, forKey: .singleUse) ?? false
    }
}
