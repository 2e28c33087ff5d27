/// What a verified assertion says of the consumer who logs in with it.
package struct LoginAssertion: Sendable {
    /// Whether the consumer's id was made here because the assertion names none.
    package var anonymous: Bool
    /// What it says of the consumer; nil members change nothing.
    package var profile: ConsumerProfile
    /// The assertion itself, where it is accepted once only.
    package var presentation: RedeemedCode?

    /// Takes what an assertion says.
    ///
    /// - Parameters:
    ///   - anonymous: Whether the consumer's id was made here.
    ///   - profile: What it says of the consumer.
    ///   - presentation: The assertion itself, where it is accepted once only.
    package init(anonymous: Bool, profile: ConsumerProfile, presentation: RedeemedCode? = nil) {
        self.anonymous = anonymous
        self.profile = profile
        self.presentation = presentation
    }
}
