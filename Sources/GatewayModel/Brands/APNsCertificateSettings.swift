/// The certificate with which an app's connections authenticate to APNs (ProviderFacts page, A6).
package struct APNsCertificateSettings: Codable, Equatable, Sendable {
    /// A certificate chain and its private key in one PEM text, or a `.p12` file as base64: secret.
    package var certificate: String
    /// The password of the `.p12` file or of the PEM's private key, if it is encrypted: secret.
    package var password: String?

    /// Creates the settings of a certificate.
    package init(certificate: String, password: String? = nil) {
        self.certificate = certificate
        self.password = password
    }
}
