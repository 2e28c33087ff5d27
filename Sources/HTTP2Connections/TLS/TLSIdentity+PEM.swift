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

    /// The only private key of a PEM text.
    private static func privateKey(_ pem: [UInt8], _ password: String?) throws(TLSIdentityFailure) -> OpaquePointer {
        // An empty password keeps OpenSSL from asking for one at the terminal.
        var secret = Array((password ?? "").utf8CString)
        var key: OpaquePointer?
        OpenSSLErrors.clear()
        let result = TLSContextHandle.withBIO(pem) { bio in
            switchboard_read_private_key(bio, &secret, maxKeyDerivations, &key)
        }
        if let failure = failure(result, "private key") { throw failure }
        guard let key else { throw .noPrivateKey }
        return key
    }

    /// Why a file was not read; nil when it was.
    static func failure(_ result: switchboard_read, _ what: String) -> TLSIdentityFailure? {
        switch result {
        case SWITCHBOARD_READ: nil
        case SWITCHBOARD_NO_KEY: .noPrivateKey
        case SWITCHBOARD_SEVERAL_KEYS: .severalPrivateKeys
        case SWITCHBOARD_TOO_COSTLY: .tooManyDerivations
        case SWITCHBOARD_WRONG_PASSWORD: .wrongPassword
        default: .unreadable("\(what): \(OpenSSLErrors.takeText())")
        }
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
