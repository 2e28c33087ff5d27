/// A verified assertion's facts about the consumer who logs in with it.
package struct LoginAssertion: Sendable {
    /// Whether the gateway created the consumer's id because the assertion names none.
    package var anonymous: Bool
    /// Its facts about the consumer; nil members change nothing.
    package var profile: ConsumerProfile
    /// The assertion itself, if it is for single use.
    package var presentation: RedeemedCode?

    /// Creates the facts of an assertion.
    package init(anonymous: Bool, profile: ConsumerProfile, presentation: RedeemedCode? = nil) {
        self.anonymous = anonymous
        self.profile = profile
        self.presentation = presentation
    }
}
