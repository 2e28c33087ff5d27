/// The certificate with which an app's connections to APNs sign in (ProviderFacts page, A6).
package struct APNsCertificateSettings: Codable, Equatable, Sendable {
    /// A certificate chain and its private key in one PEM text, or a `.p12` file as base64: secret.
    package var certificate: String
    /// What opens the `.p12` file or the PEM's private key, if they are closed: secret.
    package var password: String?

    /// Takes a certificate.
    ///
    /// - Parameters:
    ///   - certificate: PEM, or a `.p12` file as base64.
    ///   - password: What opens it.
    package init(certificate: String, password: String? = nil) {
        self.certificate = certificate
        self.password = password
    }
}
