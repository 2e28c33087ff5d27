/// The facts that an APNs certificate states; nothing of it is secret.
package struct APNsCertificateFacts: Equatable, Sendable {
    /// The SHA-256 of the certificate's DER as lower-case hexadecimal digits, as `openssl x509 -fingerprint -sha256`
    /// prints it.
    package var fingerprint: String
    /// The subject's common name, empty when there is none.
    package var commonName: String
    /// The topics that it may send to: bundle ids, with a suffix for push types that have one.
    package var topics: [String]
    /// The environments that it is valid for.
    package var environments: Set<PushEnvironment>
    /// The expiry of the certificate.
    package var expiresAt: Timestamp

    /// Creates the facts.
    package init(
        fingerprint: String,
        commonName: String,
        topics: [String],
        environments: Set<PushEnvironment>,
        expiresAt: Timestamp
    ) {
        self.fingerprint = fingerprint
        self.commonName = commonName
        self.topics = topics
        self.environments = environments
        self.expiresAt = expiresAt
    }
}
