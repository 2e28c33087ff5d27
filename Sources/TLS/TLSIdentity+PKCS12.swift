internal import COpenSSL

extension TLSIdentity {
    /// Reads a PKCS#12 file, as Apple's tools export push certificates.
    ///
    /// Old files need RC2 and the like, which OpenSSL 3 keeps in its legacy provider. It is loaded into a library
    /// context that only this call uses, so that no connection can ever use it. Blocks for the key derivation: not on
    /// an event loop.
    ///
    /// - Parameters:
    ///   - pkcs12: The file.
    ///   - password: Its password; empty for none.
    ///   - derivations: The budget for the derivations.
    /// - Throws: ``TLSIdentityFailure``.
    package init(
        pkcs12: [UInt8],
        password: String,
        derivations: KeyDerivations = KeyDerivations()
    ) throws(TLSIdentityFailure) {
        OpenSSLErrors.clear()
        guard let library = OSSL_LIB_CTX_new() else { throw .unreadable("no library context") }
        let outer = OSSL_LIB_CTX_set0_default(library)
        let providers = [OSSL_PROVIDER_load(library, "default"), OSSL_PROVIDER_load(library, "legacy")]
        defer {
            OSSL_LIB_CTX_set0_default(outer)
            for provider in providers { OSSL_PROVIDER_unload(provider) }
            OSSL_LIB_CTX_free(library)
            OpenSSLErrors.clear()
        }
        guard let file = TLSContextHandle.withBIO(pkcs12, { d2i_PKCS12_bio($0, nil) }) else {
            throw .unreadable("PKCS#12: \(OpenSSLErrors.takeText())")
        }
        defer { PKCS12_free(file) }
        var contents = PKCS12Contents()
        defer { contents.free() }
        try contents.read(file, password, derivations)
        guard let key = contents.key else { throw .noPrivateKey }
        guard !contents.certificates.isEmpty else { throw .noCertificate }
        self = try Self.joined(contents.certificates, key)
    }

    /// Writes a PKCS#12 file with the first certificate and the key, for simulators.
    ///
    /// - Parameter password: The password of the file.
    /// - Returns: The file.
    /// - Throws: ``TLSIdentityFailure`` when the identity cannot be read.
    package func pkcs12(password: String) throws(TLSIdentityFailure) -> [UInt8] {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let certificates = (try? TLSContextHandle.certificates(inPEM: certificateChainPEM)) ?? []
        defer { for certificate in certificates { X509_free(certificate) } }
        guard let own = certificates.first else { throw .noCertificate }
        let key = TLSContextHandle.withBIO(privateKeyPEM) { PEM_read_bio_PrivateKey($0, nil, rejectPassphrase, nil) }
        guard let key else { throw .noPrivateKey }
        defer { EVP_PKEY_free(key) }
        guard let file = PKCS12_create(password, nil, key, own, nil, 0, 0, 0, 0, 0) else {
            throw .unreadable("PKCS#12: \(OpenSSLErrors.takeText())")
        }
        defer { PKCS12_free(file) }
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard i2d_PKCS12_bio(bio, file) == 1 else { throw .unreadable("PKCS#12: \(OpenSSLErrors.takeText())") }
        return Self.contents(of: bio)
    }
}
