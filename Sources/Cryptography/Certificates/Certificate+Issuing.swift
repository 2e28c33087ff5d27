internal import TextFormats

/// An extension of a new certificate.
package struct CertificateExtension: Sendable {
    let name: String
    let value: String

    /// Creates an extension in the syntax of OpenSSL's x509v3_config(5).
    ///
    /// - Parameters:
    ///   - name: The short name, for example `keyUsage`.
    ///   - value: The value, for example `critical,digitalSignature`; never of an untrusted source.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Creates an extension that is not critical.
    ///
    /// - Parameters:
    ///   - type: The object identifier, numbers with dots.
    ///   - der: The value as DER.
    package init(type: String, der: [UInt8]) { self.init(type, "DER:" + Hexadecimal.text(der)) }
}

extension Certificate {
    /// Issues a certificate with a random serial number, signed by ECDSA with SHA-256 (RFC 5758 section 3.2).
    ///
    /// - Parameters:
    ///   - subject: The attributes of the subject, in order: the object identifier, numbers with dots, and the text.
    ///   - validity: The times from which and until which it is valid, in seconds since 1970.
    ///   - extensions: The extensions, in order.
    ///   - publicKey: The subject's key.
    ///   - issuer: The issuer's certificate; nil for a self-signed one.
    ///   - issuerKey: The issuer's key.
    /// - Returns: The certificate.
    /// - Throws: ``CryptographyError/invalidEncoding`` when OpenSSL rejects a part of it.
    package static func issue(
        subject: [(type: String, text: String)],
        validity: ClosedRange<Int64>,
        extensions: [CertificateExtension],
        publicKey: P256.Signing.PublicKey,
        issuer: Certificate?,
        issuerKey: P256.Signing.PrivateKey
    ) throws(CryptographyError) -> Certificate {
        // Positive and of at most 20 bytes (RFC 5280 section 4.1.2.2).
        var serialNumber = SystemRandom.bytes(16)
        serialNumber[0] = serialNumber[0] & 0x7F | 0x40
        let der = try ErrorQueue.isolated { () throws(CryptographyError) -> [UInt8]? in
            let new = try CertificateHandle()
            guard new.setSubject(subject) else { return nil }
            /// Completes the certificate with the name and the key identifier of its issuer.
            func complete(_ issuer: borrowing CertificateHandle) -> [UInt8]? {
                guard new.set(publicKey.key, serialNumber: serialNumber, validity: validity, issuer: issuer) else {
                    return nil
                }
                for each in extensions where !new.add(each, issuer: issuer) { return nil }
                return new.sign(issuerKey.key) ? new.der : nil
            }
            guard let issuer else { return complete(new) }
            return complete(try CertificateHandle(der: issuer.der))
        }
        guard let der else { throw .invalidEncoding }
        return try Certificate(der: der)
    }
}
