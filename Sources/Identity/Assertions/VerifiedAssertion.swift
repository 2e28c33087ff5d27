package import GatewayModel
package import GatewayStorage

/// What a verified assertion says.
package struct VerifiedAssertion: Sendable, Equatable {
    /// The brand, which is the key's.
    package var brand: BrandID
    /// The consumer: the claim `identifier` or `sub`, or a new random UUID where there may be none (R27, R28).
    package var consumer: ConsumerID
    /// Whether the consumer id was made here.
    package var anonymous: Bool
    /// What it says of the consumer; absent members are to leave what is known as it is (R29).
    package var profile: ConsumerProfile
    /// The claim `push_token` (R32), a provider's token: secret, and not looked at here.
    package var pushToken: String?
    /// The app that the key is for, if it is for one.
    package var app: AppID?
    /// The id of the credential that verified it, with which its sessions end.
    package var credential: String
    /// The name of that credential, for the audit log.
    package var keyName: String
    /// The SHA-256 of the token of the session that had it signed by ``AssertionSigner``, as the store has it.
    ///
    /// It is worth no more than that session. Nil for every other signature.
    package var session: [UInt8]?
    /// The assertion as the store keeps it, where its credential accepts it once only.
    package var presentation: RedeemedCode?
}
