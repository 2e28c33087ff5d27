internal import COpenSSL

extension TLSIdentity {
    /// Reads certificates and the one private key of a PEM text, in any order.
    ///
    /// Blocks for the key derivation of an encrypted key: not on an event loop.
    ///
    /// - Parameters:
    ///   - pem: The text; the certificate of the key becomes the first of the chain.
    ///   - password: The password of an encrypted key.
    ///   - derivations: The budget for the derivation.
    /// - Throws: ``TLSIdentityFailure``.
    package init(
        pem: [UInt8],
        password: String?,
        derivations: KeyDerivations = KeyDerivations()
    ) throws(TLSIdentityFailure) {
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
        let key = try PrivateKeyBlock(inPEM: pem).open(password: password, derivations)
        defer { EVP_PKEY_free(key) }
        self = try Self.joined(certificates, key)
    }

    /// Writes a key and its certificates as PEM, the key's own certificate first.
    static func joined(
        _ certificates: [OpaquePointer],
        _ key: OpaquePointer
    ) throws(TLSIdentityFailure) -> TLSIdentity {
        guard let own = certificates.firstIndex(where: { X509_check_private_key($0, key) == 1 }) else {
            throw .keyDoesNotFit
        }
        var chain = pem { PEM_write_bio_X509($0, certificates[own]) }
        for index in certificates.indices where index != own {
            chain += pem { PEM_write_bio_X509($0, certificates[index]) }
        }
        let keyPEM = pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        guard !chain.isEmpty, !keyPEM.isEmpty else { throw .unreadable("it cannot be written again") }
        return TLSIdentity(certificateChainPEM: chain, privateKeyPEM: keyPEM)
    }

    /// Returns the PEM that an OpenSSL function writes.
    static func pem(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return [] }
        return contents(of: bio)
    }

    /// Returns all bytes of a memory BIO.
    static func contents(of bio: OpaquePointer?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: switchboard_BIO_pending(bio))
        guard BIO_read(bio, &bytes, Int32(clamping: bytes.count)) == bytes.count else { return [] }
        return bytes
    }
}
