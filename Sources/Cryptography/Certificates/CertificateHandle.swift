internal import COpenSSL

/// The owner of an `X509` of OpenSSL.
struct CertificateHandle: ~Copyable {
    private let pointer: OpaquePointer

    /// Creates an empty certificate.
    init() throws(CryptographyError) {
        guard let pointer = X509_new() else { throw .unavailable }
        self.pointer = pointer
    }

    init(der: [UInt8]) throws(CryptographyError) {
        let parsed = ErrorQueue.isolated {
            der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
                var position = bytes.baseAddress
                guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
                if let start = bytes.baseAddress, position == start + bytes.count { return certificate }
                X509_free(certificate)
                return nil
            }
        }
        guard let parsed else { throw .invalidEncoding }
        pointer = parsed
    }

    deinit { X509_free(pointer) }

    var der: [UInt8] { KeyHandle.encoded { i2d_X509(pointer, $0) } }
    var publicKeyDER: [UInt8] { KeyHandle.encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) } }

    var validity: (Int64, Int64)? {
        ErrorQueue.isolated {
            var (from, until): (Int64, Int64) = (0, 0)
            return switchboard_X509_validity(pointer, &from, &until) == 1 ? (from, until) : nil
        }
    }

    func subjectText(_ type: String) -> String? {
        ErrorQueue.isolated {
            guard let object = OBJ_txt2obj(type, 1) else { return nil }
            defer { ASN1_OBJECT_free(object) }
            let name = X509_get_subject_name(pointer)
            let index = X509_NAME_get_index_by_OBJ(name, object, -1)
            guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
            var text: UnsafeMutablePointer<UInt8>?
            let length = ASN1_STRING_to_UTF8(&text, value)
            defer { CRYPTO_free(text, #file, 0) }
            guard length >= 0, let text else { return nil }
            return String(validating: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
        }
    }

    func extensionValue(_ type: String) -> [UInt8]? {
        ErrorQueue.isolated {
            guard let object = OBJ_txt2obj(type, 1) else { return nil }
            defer { ASN1_OBJECT_free(object) }
            let index = X509_get_ext_by_OBJ(pointer, object, -1)
            guard index >= 0, let value = X509_EXTENSION_get_data(X509_get_ext(pointer, index)) else { return nil }
            return Array(
                UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value)))
            )
        }
    }

    func isSigned(by key: KeyHandle) -> Bool {
        ErrorQueue.isolated { key.withPointer { X509_verify(pointer, $0) == 1 } }
    }

    // MARK: - Issuing

    func setSubject(_ attributes: [(type: String, text: String)]) -> Bool {
        let name = X509_get_subject_name(pointer)
        return attributes.allSatisfy { type, text in
            guard let object = OBJ_txt2obj(type, 1) else { return false }
            defer { ASN1_OBJECT_free(object) }
            let length = Int32(clamping: text.utf8.count)
            return X509_NAME_add_entry_by_OBJ(name, object, MBSTRING_UTF8, text, length, -1, 0) == 1
        }
    }

    /// Sets everything that is neither subject nor extension; the validity is in seconds since 1970.
    func set(
        _ key: KeyHandle,
        serialNumber: [UInt8],
        validity: ClosedRange<Int64>,
        issuer: borrowing CertificateHandle
    ) -> Bool {
        let number = BN_bin2bn(serialNumber, Int32(serialNumber.count), nil)
        defer { BN_free(number) }
        return X509_set_version(pointer, Int(X509_VERSION_3)) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil
            && ASN1_TIME_set(X509_getm_notBefore(pointer), Int(validity.lowerBound)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(pointer), Int(validity.upperBound)) != nil
            && X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)) == 1
            && key.withPointer { X509_set_pubkey(pointer, $0) } == 1
    }

    /// Adds an extension; its subject's key must be set.
    func add(_ new: CertificateExtension, issuer: borrowing CertificateHandle) -> Bool {
        switchboard_X509_add_extension(pointer, issuer.pointer, new.name, new.value) == 1
    }

    func sign(_ key: KeyHandle) -> Bool {
        key.withPointer { HashAlgorithm.sha256.sign(certificate: pointer, $0) }
    }
}
