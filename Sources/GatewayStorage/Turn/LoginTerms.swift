package import GatewayModel

/// What a login shows and what its brand asks, beside the session that it opens.
package struct LoginTerms: Sendable {
    /// Whether the consumer's earlier sessions and its registrations on other devices end; means nothing for a login that
    /// names no device.
    package var singleDevice: Bool
    /// What makes a login take in anonymous consumers.
    package var anonymousMerge: AnonymousMerge
    /// How many days after its expiry an anonymous session's token is still proof.
    package var anonymousMergeDays: Int64
    /// The token hash of the session that had the login signed; nil when none had.
    package var signedBy: [UInt8]?
    /// The token hash of an anonymous session, the proof that its consumer is the one who logs in.
    package var anonymousToken: [UInt8]?
    /// The proof that the device is the one that another consumer's registration pushes to.
    package var currentToken: PushTokenProof?
    /// What the assertion says of the consumer; nil for a login without one, which changes nothing that is known.
    package var assertion: LoginAssertion?

    /// Creates the terms of a login that shows nothing.
    ///
    /// - Parameters:
    ///   - singleDevice: Whether the consumer's earlier sessions and other devices end.
    ///   - anonymousMerge: What makes a login take in anonymous consumers.
    ///   - anonymousMergeDays: How many days after its expiry an anonymous session's token is still proof.
    ///   - signedBy: The token hash of the session that had the login signed.
    ///   - anonymousToken: The token hash of an anonymous session.
    ///   - currentToken: The proof for another consumer's registration.
    ///   - assertion: What the assertion says of the consumer.
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

    /// Creates the terms that a brand's settings ask.
    ///
    /// - Parameter settings: The brand's settings.
    package init(_ settings: BrandSettings) {
        self.init(
            singleDevice: settings.singleDevice,
            anonymousMerge: settings.anonymousMerge,
            anonymousMergeDays: settings.anonymousMergeDays
        )
    }
}
