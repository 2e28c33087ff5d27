internal import COpenSSL

/// The private key and the certificates of a PKCS#12 file (RFC 7292), each part of which is derived and decrypted once.
///
/// `PKCS12_parse` does the same, but without a limit for the derivations of a file.
struct PKCS12Contents {
    /// The one private key.
    private(set) var key: OpaquePointer?
    /// The certificates, in the order of the file.
    private(set) var certificates: [OpaquePointer] = []

    /// Frees the key and the certificates.
    func free() {
        EVP_PKEY_free(key)
        for certificate in certificates { X509_free(certificate) }
    }

    /// Reads a file.
    ///
    /// The caller must call ``free()``, also after an error.
    ///
    /// - Throws: ``TLSIdentityFailure``.
    mutating func read(
        _ file: OpaquePointer,
        _ password: String,
        _ derivations: KeyDerivations
    ) throws(TLSIdentityFailure) {
        let password = try Self.accepted(password, by: file, derivations)
        guard let safes = PKCS12_unpack_authsafes(file) else { throw Self.unreadable() }
        defer { switchboard_sk_PKCS7_free_all(safes) }
        for index in 0..<switchboard_sk_PKCS7_num(safes) {
            guard let safe = switchboard_sk_PKCS7_value(safes, index) else { continue }
            let bags: OpaquePointer?
            if switchboard_PKCS7_is_data(safe) == 1 {
                bags = PKCS12_unpack_p7data(safe)
            } else if let algorithm = switchboard_PKCS7_encryption(safe) {
                try derivations.charge(algorithm)
                bags = PKCS12_unpack_p7encdata(safe, password, -1)
            } else {
                // Encrypted for a certificate (RFC 7292 section 3.1), which tools do not write.
                continue
            }
            guard let bags else { throw Self.unreadable() }
            defer { switchboard_sk_PKCS12_SAFEBAG_free_all(bags) }
            for index in 0..<switchboard_sk_PKCS12_SAFEBAG_num(bags) {
                guard let bag = switchboard_sk_PKCS12_SAFEBAG_value(bags, index) else { continue }
                try read(bag: bag, password, derivations)
            }
        }
    }

    private mutating func read(
        bag: OpaquePointer,
        _ password: String?,
        _ derivations: KeyDerivations
    ) throws(TLSIdentityFailure) {
        switch PKCS12_SAFEBAG_get_nid(bag) {
        case NID_keyBag:
            try take(PKCS12_SAFEBAG_get0_p8inf(bag).flatMap { EVP_PKCS82PKEY($0) })
        case NID_pkcs8ShroudedKeyBag:
            guard key == nil else { throw .severalPrivateKeys }
            try derivations.charge(PKCS12_SAFEBAG_get0_pkcs8(bag))
            let info = PKCS12_decrypt_skey(bag, password, -1)
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            try take(info.flatMap { EVP_PKCS82PKEY($0) })
        case NID_certBag where PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
            guard let certificate = PKCS12_SAFEBAG_get1_cert(bag) else { throw Self.unreadable() }
            certificates.append(certificate)
        case NID_safeContentsBag:
            // Nested contents, which tools do not write.
            throw .unreadable("PKCS#12: nested contents")
        default: break
        }
    }

    private mutating func take(_ found: OpaquePointer?) throws(TLSIdentityFailure) {
        guard let found else { throw Self.unreadable() }
        guard key == nil else {
            EVP_PKEY_free(found)
            throw .severalPrivateKeys
        }
        key = found
    }

    /// Returns the password in the form that the file's MAC uses: some tools treat an empty password as none, others as
    /// an empty text (`PKCS12_parse` tries both).
    private static func accepted(
        _ password: String,
        by file: OpaquePointer,
        _ derivations: KeyDerivations
    ) throws(TLSIdentityFailure) -> String? {
        let rounds = switchboard_PKCS12_mac_iterations(file)
        guard rounds != 0 else { return password.isEmpty ? nil : password }
        if password.isEmpty {
            try derivations.charge(rounds)
            if PKCS12_verify_mac(file, nil, 0) == 1 { return nil }
        }
        try derivations.charge(rounds)
        guard PKCS12_verify_mac(file, password, -1) == 1 else { throw .wrongPassword }
        return password
    }

    private static func unreadable() -> TLSIdentityFailure { .unreadable("PKCS#12: \(OpenSSLErrors.takeText())") }
}
