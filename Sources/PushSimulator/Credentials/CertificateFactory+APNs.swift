internal import Cryptography

extension CertificateFactory {
    /// Creates a client certificate for APNs.
    ///
    /// - Parameters:
    ///   - specification: The content of the certificate.
    ///   - authority: The issuer.
    /// - Returns: The certificate with its key.
    /// - Throws: The errors of the library.
    static func sender(_ specification: APNsCertificateSpecification, issuedBy authority: Issued) throws -> Issued {
        var extensions = [
            CertificateExtension("basicConstraints", "critical,CA:FALSE"),
            CertificateExtension("keyUsage", "critical,digitalSignature"),
            CertificateExtension("extendedKeyUsage", "clientAuth"),
        ]
        if specification.isForSandbox { extensions.append(Self.mark(APNsClientCertificate.sandboxMark)) }
        if specification.isForProduction { extensions.append(Self.mark(APNsClientCertificate.productionMark)) }
        if !specification.topics.isEmpty {
            // Apple's list: each topic followed by a sequence of its app types.
            let list = specification.topics.flatMap { [DER.utf8($0), DER.sequence([DER.utf8("app")])] }
            extensions.append(CertificateExtension(type: APNsClientCertificate.topicList, der: DER.sequence(list)))
        }
        let name = specification.topics.first ?? "nothing"
        return try Self.issue(
            subject: [(Self.userID, name), (Self.commonName, "Apple Push Services: \(name)")],
            extensions: extensions,
            issuedBy: authority,
            lifeSeconds: Double(specification.validForSeconds)
        )
    }

    /// `UID` (RFC 4519 section 2.39).
    private static let userID = "0.9.2342.19200300.100.1.1"

    /// Makes a flag extension, whose value is NULL.
    private static func mark(_ type: String) -> CertificateExtension { CertificateExtension(type: type, der: [5, 0]) }
}
