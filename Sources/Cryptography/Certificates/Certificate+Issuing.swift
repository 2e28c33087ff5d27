internal import COpenSSL
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
        publicKey: P256.PublicKey,
        issuer: Certificate?,
        issuerKey: P256.PrivateKey
    ) throws(CryptographyError) -> Certificate {
        let der = ErrorQueue.isolated { () -> [UInt8]? in
            guard let new = X509_new() else { return nil }
            defer { X509_free(new) }
            guard setSubject(subject, of: new) else { return nil }
            /// Completes the certificate with the name and the key identifier of its issuer.
            func complete(_ issuer: OpaquePointer) -> [UInt8]? {
                guard set(publicKey.key, validity, issuer, of: new),
                    // The subject's key must be set before.
                    extensions.allSatisfy({ switchboard_X509_add_extension(new, issuer, $0.name, $0.value) == 1 }),
                    issuerKey.key.withPointer({ X509_sign(new, $0, EVP_sha256()) }) > 0
                else { return nil }
                return KeyHandle.encoded { i2d_X509(new, $0) }
            }
            guard let issuer else { return complete(new) }
            return parsed(issuer.der, complete)
        }
        guard let der else { throw .invalidEncoding }
        return try Certificate(der: der)
    }

    private static func setSubject(_ attributes: [(type: String, text: String)], of new: OpaquePointer) -> Bool {
        let name = X509_get_subject_name(new)
        return attributes.allSatisfy { type, text in
            withObject(type) { object in
                let length = Int32(clamping: text.utf8.count)
                return X509_NAME_add_entry_by_OBJ(name, object, MBSTRING_UTF8, text, length, -1, 0) == 1
            } ?? false
        }
    }

    /// Sets everything that is neither subject nor extension.
    private static func set(
        _ key: KeyHandle,
        _ validity: ClosedRange<Int64>,
        _ issuer: OpaquePointer,
        of new: OpaquePointer
    ) -> Bool {
        // Positive and of at most 20 bytes (RFC 5280 section 4.1.2.2).
        var serialNumber = (0..<16).map { _ in UInt8.random(in: 0...255) }
        serialNumber[0] = serialNumber[0] & 0x7F | 0x40
        let number = BN_bin2bn(serialNumber, Int32(serialNumber.count), nil)
        defer { BN_free(number) }
        return X509_set_version(new, Int(X509_VERSION_3)) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(new)) != nil
            && ASN1_TIME_set(X509_getm_notBefore(new), Int(validity.lowerBound)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(new), Int(validity.upperBound)) != nil
            && X509_set_issuer_name(new, X509_get_subject_name(issuer)) == 1
            && key.withPointer { X509_set_pubkey(new, $0) } == 1
    }
}
