package import GatewayModel
package import GatewayStorage

/// The content of a verified assertion.
package struct VerifiedAssertion: Sendable, Equatable {
    /// The brand, which is the key's.
    package var brand: BrandID
    /// The consumer: the claim `identifier` or `sub`, or a new random UUID if it may be absent (R27, R28).
    package var consumer: ConsumerID
    /// Whether the consumer id was generated here.
    package var anonymous: Bool
    /// The claims about the consumer; absent members do not change the stored profile (R29).
    package var profile: ConsumerProfile
    /// The claim `push_token` (R32), a provider's token: secret, and not parsed here.
    package var pushToken: String?
    /// The app that the key is bound to, if any.
    package var app: AppID?
    /// The id of the credential that verified it; its sessions end with it.
    package var credential: String
    /// The name of that credential, for the audit log.
    package var keyName: String
    /// The stored SHA-256 of the token of the session for which ``AssertionSigner`` signed it.
    ///
    /// The assertion is valid only as long as that session. Nil for every other signature.
    package var session: [UInt8]?
    /// The record for the store, if its credential accepts it only once.
    package var presentation: RedeemedCode?
}
