internal import COpenSSL

extension TLSIdentity {
    /// Reads a PKCS#12 file, as Apple's tools export push certificates.
    ///
    /// Old files need RC2 and the like, which OpenSSL 3 keeps in its legacy provider. It is loaded into a library context
    /// that only this call sees, so that no connection can ever use it. Blocks for the key derivation: not on an event loop.
    ///
    /// - Parameters:
    ///   - pkcs12: The file.
    ///   - password: Its password; empty for none.
    /// - Throws: `TLSFailure.configuration`, without the password.
    package init(pkcs12: [UInt8], password: String) throws(TLSFailure) {
        OpenSSLErrors.clear()
        guard let library = OSSL_LIB_CTX_new() else { throw .configuration("no library context") }
        let outer = OSSL_LIB_CTX_set0_default(library)
        let providers = [OSSL_PROVIDER_load(library, "default"), OSSL_PROVIDER_load(library, "legacy")]
        let result = Self.read(pkcs12, password)
        OSSL_LIB_CTX_set0_default(outer)
        for provider in providers { OSSL_PROVIDER_unload(provider) }
        OSSL_LIB_CTX_free(library)
        let reason = OpenSSLErrors.takeText()
        guard let result else { throw .configuration("PKCS#12: \(reason)") }
        self = result
    }

    private static func read(_ pkcs12: [UInt8], _ password: String) -> TLSIdentity? {
        let bio = BIO_new_mem_buf(pkcs12, Int32(clamping: pkcs12.count))
        defer { BIO_free(bio) }
        guard let file = d2i_PKCS12_bio(bio, nil) else { return nil }
        defer { PKCS12_free(file) }
        var key: OpaquePointer?
        var own: OpaquePointer?
        var issuers: OpaquePointer?
        guard PKCS12_parse(file, password, &key, &own, &issuers) == 1 else { return nil }
        defer {
            EVP_PKEY_free(key)
            X509_free(own)
            switchboard_sk_X509_free_all(issuers)
        }
        guard let key, let own else { return nil }
        var chain = pem { PEM_write_bio_X509($0, own) }
        for index in 0..<max(0, switchboard_sk_X509_num(issuers)) {
            chain += pem { PEM_write_bio_X509($0, switchboard_sk_X509_value(issuers, index)) }
        }
        let keyPEM = pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        guard !chain.isEmpty, !keyPEM.isEmpty else { return nil }
        return TLSIdentity(certificateChainPEM: chain, privateKeyPEM: keyPEM)
    }

    private static func pem(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: switchboard_BIO_pending(bio))
        guard BIO_read(bio, &bytes, Int32(bytes.count)) == bytes.count else { return [] }
        return bytes
    }
}
