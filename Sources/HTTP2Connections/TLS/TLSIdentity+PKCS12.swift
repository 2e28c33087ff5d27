internal import COpenSSL

extension TLSIdentity {
    /// How often the keys of a file may be derived, all of them together: hundreds of times what Apple's and OpenSSL's tools
    /// write (2,048 for each), and a fifth of a second of a processor.
    package static let maxKeyDerivations = 1_000_000

    /// Reads a PKCS#12 file, as Apple's tools export push certificates.
    ///
    /// Old files need RC2 and the like, which OpenSSL 3 keeps in its legacy provider. It is loaded into a library context
    /// that only this call sees, so that no connection can ever use it. Blocks for the key derivation: not on an event loop.
    ///
    /// - Parameters:
    ///   - pkcs12: The file.
    ///   - password: Its password; empty for none.
    /// - Throws: ``TLSIdentityFailure``.
    package init(pkcs12: [UInt8], password: String) throws(TLSIdentityFailure) {
        OpenSSLErrors.clear()
        guard let library = OSSL_LIB_CTX_new() else { throw .unreadable("no library context") }
        let outer = OSSL_LIB_CTX_set0_default(library)
        let providers = [OSSL_PROVIDER_load(library, "default"), OSSL_PROVIDER_load(library, "legacy")]
        let result = Self.read(pkcs12, password)
        OSSL_LIB_CTX_set0_default(outer)
        for provider in providers { OSSL_PROVIDER_unload(provider) }
        OSSL_LIB_CTX_free(library)
        OpenSSLErrors.clear()
        self = try result.get()
    }

    private static func read(_ pkcs12: [UInt8], _ password: String) -> Result<TLSIdentity, TLSIdentityFailure> {
        guard let file = TLSContextHandle.withBIO(pkcs12, { d2i_PKCS12_bio($0, nil) }) else {
            return .failure(.unreadable("PKCS#12: \(OpenSSLErrors.takeText())"))
        }
        defer { PKCS12_free(file) }
        var key: OpaquePointer?
        var certificates: OpaquePointer?
        let result = switchboard_read_PKCS12(file, password, maxKeyDerivations, &key, &certificates)
        defer {
            EVP_PKEY_free(key)
            switchboard_sk_X509_free_all(certificates)
        }
        if let failure = failure(result, "PKCS#12") { return .failure(failure) }
        guard let key else { return .failure(.noPrivateKey) }
        let count = max(0, switchboard_sk_X509_num(certificates))
        let all = (0..<count).map { switchboard_sk_X509_value(certificates, $0) }
        guard !all.isEmpty else { return .failure(.noCertificate) }
        guard let own = all.firstIndex(where: { X509_check_private_key($0, key) == 1 }) else {
            return .failure(.keyDoesNotFit)
        }
        var chain = pem { PEM_write_bio_X509($0, all[own]) }
        for index in all.indices where index != own { chain += pem { PEM_write_bio_X509($0, all[index]) } }
        let keyPEM = pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        guard !chain.isEmpty, !keyPEM.isEmpty else { return .failure(.unreadable("it cannot be written again")) }
        return .success(TLSIdentity(certificateChainPEM: chain, privateKeyPEM: keyPEM))
    }

    /// Writes a PKCS#12 file of the first certificate and the key, as simulators hand it out.
    ///
    /// - Parameter password: What it is sealed with.
    /// - Returns: The file.
    /// - Throws: ``TLSIdentityFailure`` when the identity cannot be read.
    package func pkcs12(password: String) throws(TLSIdentityFailure) -> [UInt8] {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let certificates = (try? TLSContextHandle.certificates(inPEM: certificateChainPEM)) ?? []
        defer { for certificate in certificates { X509_free(certificate) } }
        guard let own = certificates.first else { throw .noCertificate }
        let key = TLSContextHandle.withBIO(privateKeyPEM) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
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
