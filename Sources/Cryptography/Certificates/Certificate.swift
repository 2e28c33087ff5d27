internal import TextFormats

/// An X.509 certificate (RFC 5280), parsed and not verified.
///
/// Object identifiers are texts of numbers with dots.
package struct Certificate: Sendable, Equatable {
    /// The DER of the certificate.
    package let der: [UInt8]
    /// The start of its validity, in seconds since 1970.
    package let notBefore: Int64
    /// The end of its validity, in seconds since 1970.
    package let notAfter: Int64
    /// The SubjectPublicKeyInfo.
    package let publicKeyDER: [UInt8]

    /// Parses DER.
    ///
    /// - Throws: ``CryptographyError/invalidEncoding``, also for bytes after the certificate.
    package init(der: [UInt8]) throws(CryptographyError) {
        let handle = try CertificateHandle(der: der)
        guard let validity = handle.validity else { throw .invalidEncoding }
        self.der = der
        (notBefore, notAfter) = validity
        publicKeyDER = handle.publicKeyDER
    }

    /// Parses the first block of a PEM text, which must be a certificate.
    ///
    /// - Throws: ``CryptographyError/invalidEncoding``.
    package init(pem: String) throws(CryptographyError) {
        guard let first = try PEM.blocks(of: pem).first, first.label == "CERTIFICATE" else { throw .invalidEncoding }
        try self.init(der: first.der)
    }

    /// The PEM, without a newline at its end.
    package var pem: String { PEM(label: "CERTIFICATE", der: der).text }

    /// Returns the text of the first attribute of the subject with a type; nil when there is none.
    package func subjectText(_ type: String) -> String? { (try? CertificateHandle(der: der))?.subjectText(type) }

    /// Returns the value of an extension; nil when there is none.
    package func extensionValue(_ type: String) -> [UInt8]? { (try? CertificateHandle(der: der))?.extensionValue(type) }

    /// Returns whether an issuer's key signed it.
    package func isSigned(by issuer: Certificate) -> Bool {
        guard let own = try? CertificateHandle(der: der), let key = try? KeyHandle(publicDER: issuer.publicKeyDER)
        else {
            return false
        }
        return own.isSigned(by: key)
    }
}
