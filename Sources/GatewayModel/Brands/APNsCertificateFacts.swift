/// What an APNs certificate says of itself; nothing of it is secret.
package struct APNsCertificateFacts: Equatable, Sendable {
    /// SHA-256 of the certificate's DER as lower-case hexadecimal digits, as `openssl x509 -fingerprint -sha256` has it.
    package var fingerprint: String
    /// The subject's common name, empty when there is none.
    package var commonName: String
    /// What it may send for: bundle ids, with a suffix for push types that have one.
    package var topics: [String]
    /// The environments that it is for.
    package var environments: Set<PushEnvironment>
    /// The moment after which it no longer counts.
    package var expiresAt: Timestamp

    /// Takes what a certificate says.
    ///
    /// - Parameters:
    ///   - fingerprint: SHA-256 of the DER as lower-case hexadecimal digits.
    ///   - commonName: The subject's common name.
    ///   - topics: What it may send for.
    ///   - environments: The environments that it is for.
    ///   - expiresAt: The moment after which it no longer counts.
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
