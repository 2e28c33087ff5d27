internal import COpenSSL

extension TLSIdentity {
    /// Reads certificates and one private key from one PEM text, in any order.
    ///
    /// Blocks for the key derivation of an encrypted key: not on an event loop.
    ///
    /// - Parameters:
    ///   - pem: The text; the certificate that fits the key becomes the first of the chain.
    ///   - password: The password of an encrypted key.
    /// - Throws: ``TLSIdentityFailure``.
    package init(pem: [UInt8], password: String?) throws(TLSIdentityFailure) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let certificates: [OpaquePointer]
        do {
            certificates = try TLSContextHandle.certificates(inPEM: pem)
        } catch {
            throw .unreadable("\(error)")
        }
        defer { for certificate in certificates { X509_free(certificate) } }
        guard !certificates.isEmpty else { throw .noCertificate }
        let key = try Self.privateKey(pem, password)
        defer { EVP_PKEY_free(key) }
        guard let own = certificates.firstIndex(where: { X509_check_private_key($0, key) == 1 }) else {
            throw .keyDoesNotFit
        }
        var chain = Self.pem { PEM_write_bio_X509($0, certificates[own]) }
        for index in certificates.indices where index != own {
            chain += Self.pem { PEM_write_bio_X509($0, certificates[index]) }
        }
        let keyPEM = Self.pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        guard !chain.isEmpty, !keyPEM.isEmpty else { throw .unreadable("it cannot be written again") }
        self.init(certificateChainPEM: chain, privateKeyPEM: keyPEM)
    }

    private static func privateKey(_ pem: [UInt8], _ password: String?) throws(TLSIdentityFailure) -> OpaquePointer {
        let isCheap = TLSContextHandle.withBIO(pem) { bio in switchboard_PKCS8_is_cheap(bio, maxKeyDerivations) }
        guard isCheap == 1 else { throw .tooManyDerivations }
        // Without a callback OpenSSL takes the last argument for the password; an empty one keeps it from asking at the
        // terminal.
        var secret = Array((password ?? "").utf8CString)
        let key = TLSContextHandle.withBIO(pem) { bio in PEM_read_bio_PrivateKey(bio, nil, nil, &secret) }
        if let key { return key }
        let text = String(decoding: pem, as: UTF8.self)
        guard text.contains("PRIVATE KEY-----") else { throw .noPrivateKey }
        // PKCS#8 says it in the first line, the traditional form in a header.
        guard !text.contains("ENCRYPTED") else { throw .wrongPassword }
        throw .unreadable("private key: \(OpenSSLErrors.takeText())")
    }

    /// What a function of OpenSSL writes as PEM.
    static func pem(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return [] }
        return contents(of: bio)
    }

    /// Everything that was written to a memory BIO.
    static func contents(of bio: OpaquePointer?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: switchboard_BIO_pending(bio))
        guard BIO_read(bio, &bytes, Int32(clamping: bytes.count)) == bytes.count else { return [] }
        return bytes
    }
}
