package import GatewayModel

/// A login's proofs and its brand's settings for it, in addition to the session that it opens.
package struct LoginTerms: Sendable {
    /// Whether the consumer's earlier sessions and its registrations on other devices end; ignored for a login that
    /// names no device.
    package var singleDevice: Bool
    /// The proof with which a login merges anonymous consumers.
    package var anonymousMerge: AnonymousMerge
    /// How many days after its expiry an anonymous session's token is still proof.
    package var anonymousMergeDays: Int64
    /// The token hash of the session that requested the login's assertion; nil when none did.
    package var signedBy: [UInt8]?
    /// The token hash of an anonymous session, the proof that its consumer is the one who logs in.
    package var anonymousToken: [UInt8]?
    /// The proof that the device is the one that another consumer's registration pushes to.
    package var currentToken: PushTokenProof?
    /// The assertion's facts about the consumer; nil for a login without one, which changes no facts.
    package var assertion: LoginAssertion?

    /// Creates the terms of a login without proofs.
    package init(
        singleDevice: Bool = false,
        anonymousMerge: AnonymousMerge = .token,
        anonymousMergeDays: Int64 = 7,
        signedBy: [UInt8]? = nil,
        anonymousToken: [UInt8]? = nil,
        currentToken: PushTokenProof? = nil,
        assertion: LoginAssertion? = nil
    ) {
        self.singleDevice = singleDevice
        self.anonymousMerge = anonymousMerge
        self.anonymousMergeDays = anonymousMergeDays
        self.signedBy = signedBy
        self.anonymousToken = anonymousToken
        self.currentToken = currentToken
        self.assertion = assertion
    }

    /// Creates the terms of a brand's settings.
    package init(_ settings: BrandSettings) {
        self.init(
            singleDevice: settings.singleDevice,
            anonymousMerge: settings.anonymousMerge,
            anonymousMergeDays: settings.anonymousMergeDays
        )
    }
}
