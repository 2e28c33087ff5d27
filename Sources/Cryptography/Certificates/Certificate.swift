internal import COpenSSL
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
        let parts = Self.parsed(der) { certificate -> (Int64, Int64, [UInt8])? in
            var (from, until): (Int64, Int64) = (0, 0)
            guard switchboard_X509_validity(certificate, &from, &until) == 1 else { return nil }
            return (from, until, KeyHandle.encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) })
        }
        guard let parts else { throw .invalidEncoding }
        self.der = der
        (notBefore, notAfter, publicKeyDER) = parts
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
    package func subjectText(_ type: String) -> String? {
        Self.parsed(der) { certificate in
            Self.withObject(type) { object in
                let name = X509_get_subject_name(certificate)
                let index = X509_NAME_get_index_by_OBJ(name, object, -1)
                guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else {
                    return nil
                }
                var text: UnsafeMutablePointer<UInt8>?
                let length = ASN1_STRING_to_UTF8(&text, value)
                defer { CRYPTO_free(text, #file, 0) }
                guard length >= 0, let text else { return nil }
                return String(validating: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
            }
        }
    }

    /// Returns the value of an extension; nil when there is none.
    package func extensionValue(_ type: String) -> [UInt8]? {
        Self.parsed(der) { certificate in
            Self.withObject(type) { object in
                let index = X509_get_ext_by_OBJ(certificate, object, -1)
                guard index >= 0, let value = X509_EXTENSION_get_data(X509_get_ext(certificate, index)) else {
                    return nil
                }
                return Array(
                    UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value)))
                )
            }
        }
    }

    /// Returns whether an issuer's key signed it.
    package func isSigned(by issuer: Certificate) -> Bool {
        guard let key = try? KeyHandle(publicDER: issuer.publicKeyDER) else { return false }
        return Self.parsed(der) { certificate in key.withPointer { X509_verify(certificate, $0) == 1 } } ?? false
    }

    /// Calls a function with the `X509` of DER that is complete and has nothing after it; nil for other bytes.
    static func parsed<Result>(_ der: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        ErrorQueue.isolated {
            der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
                defer { X509_free(certificate) }
                guard let start = bytes.baseAddress, position == start + bytes.count else { return nil }
                return body(certificate)
            }
        }
    }

    /// Calls a function with an object identifier; nil for a text that is none.
    static func withObject<Result>(_ type: String, _ body: (OpaquePointer) -> Result?) -> Result? {
        guard let object = OBJ_txt2obj(type, 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        return body(object)
    }
}
