internal import COpenSSL

/// The one private key block of a PEM text.
///
/// OpenSSL's own functions search the whole text for a key and skip blocks that they cannot read: they could open
/// another block than the one that was checked. So the blocks are separated first, and only this one's content is
/// passed to OpenSSL.
struct PrivateKeyBlock {
    /// The supported forms.
    private enum Form: String, CaseIterable {
        case pkcs8 = "PRIVATE KEY"
        case encryptedPKCS8 = "ENCRYPTED PRIVATE KEY"
        case rsa = "RSA PRIVATE KEY"
        case elliptic = "EC PRIVATE KEY"
    }

    /// The words after `BEGIN`.
    private let label: [UInt8]
    /// `Proc-Type` and `DEK-Info` of the traditional form (RFC 1421 section 4.6), empty for none.
    private let header: String
    /// The decoded content between the BEGIN and END lines.
    private let content: [UInt8]

    /// Finds the private key.
    ///
    /// - Throws: ``TLSIdentityFailure`` when there is none, or more than one, or a block of whatever kind is damaged.
    init(inPEM pem: [UInt8]) throws(TLSIdentityFailure) {
        OpenSSLErrors.clear()
        var found: [PrivateKeyBlock] = []
        TLSContextHandle.withBIO(pem) { bio in
            while found.count < 2, let block = PrivateKeyBlock(nextIn: bio) {
                if block.label.suffix(11).elementsEqual("PRIVATE KEY".utf8) { found.append(block) }
            }
        }
        guard found.count < 2 else { throw .severalPrivateKeys }
        // PEM_R_NO_START_LINE means the end of the text; any other error, also an empty block, is a broken block.
        let error = OpenSSLErrors.take()
        guard error?.reason == PEM_R_NO_START_LINE else { throw .unreadable(error?.text ?? "a block is empty") }
        guard let only = found.first else { throw .noPrivateKey }
        self = only
    }

    /// Reads the next block without decryption; nil at the end of the text, or when it is damaged.
    private init?(nextIn bio: OpaquePointer?) {
        var label: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var content: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard PEM_read_bio(bio, &label, &header, &content, &count) == 1 else { return nil }
        defer {
            CRYPTO_free(label, nil, 0)
            CRYPTO_free(header, nil, 0)
            CRYPTO_clear_free(content, count, nil, 0)
        }
        guard let label, let header, let content else { return nil }
        self.label = Array(String(cString: label).utf8)
        self.header = String(cString: header)
        self.content = Array(UnsafeBufferPointer(start: content, count: count))
    }

    /// Decrypts the key; the caller frees it.
    ///
    /// - Parameters:
    ///   - password: The password, if it is encrypted.
    ///   - derivations: The budget for the derivation.
    /// - Returns: The key.
    /// - Throws: ``TLSIdentityFailure``.
    func open(password: String?, _ derivations: KeyDerivations) throws(TLSIdentityFailure) -> OpaquePointer {
        OpenSSLErrors.clear()
        switch Form.allCases.first(where: { label.elementsEqual($0.rawValue.utf8) }) {
        case .pkcs8 where header.isEmpty:
            let info = try Self.read(content) { d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1) }
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            return try Self.key(of: info)
        case .encryptedPKCS8 where header.isEmpty: return try decrypted(password, derivations)
        case .rsa: return try traditional(EVP_PKEY_RSA, password, derivations)
        case .elliptic: return try traditional(EVP_PKEY_EC, password, derivations)
        default: throw .unreadable("private key: unknown form, or unexpected headers")
        }
    }

    /// Calls a function of OpenSSL that reads DER.
    private static func read(
        _ content: [UInt8],
        _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) throws(TLSIdentityFailure) -> OpaquePointer {
        let value = content.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return read(&start, bytes.count)
        }
        guard let value else { throw unreadable() }
        return value
    }

    private static func key(of info: OpaquePointer) throws(TLSIdentityFailure) -> OpaquePointer {
        guard let key = EVP_PKCS82PKEY(info) else { throw unreadable() }
        return key
    }

    private static func unreadable() -> TLSIdentityFailure { .unreadable("private key: \(OpenSSLErrors.takeText())") }

    /// Decrypts encrypted PKCS#8 (RFC 5958 section 3).
    private func decrypted(
        _ password: String?,
        _ derivations: KeyDerivations
    ) throws(TLSIdentityFailure) -> OpaquePointer {
        let closed = try Self.read(content) { d2i_X509_SIG(nil, $0, $1) }
        defer { X509_SIG_free(closed) }
        try derivations.charge(closed)
        let info = PKCS8_decrypt(closed, password ?? "", -1)
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        guard let info else { throw .wrongPassword }
        return try Self.key(of: info)
    }

    /// Reads a key in its algorithm's traditional form; an encrypted one is derived with one round of MD5 by design.
    private func traditional(
        _ type: Int32,
        _ password: String?,
        _ derivations: KeyDerivations
    ) throws(TLSIdentityFailure) -> OpaquePointer {
        var content = content
        if !header.isEmpty {
            var (header, cipher, count) = (Array(header.utf8CString), EVP_CIPHER_INFO(), content.count)
            guard PEM_get_EVP_CIPHER_INFO(&header, &cipher) == 1 else { throw Self.unreadable() }
            try derivations.charge(1)
            var secret = Array((password ?? "").utf8CString)
            guard PEM_do_header(&cipher, &content, &count, nil, &secret) == 1 else { throw .wrongPassword }
            content.removeLast(content.count - count)
        }
        do {
            return try Self.read(content) { d2i_PrivateKey(type, nil, $0, $1) }
        } catch {
            // A wrong password may produce bytes that look decrypted.
            throw header.isEmpty ? error : .wrongPassword
        }
    }
}

extension KeyDerivations {
    /// Charges the derivation of an encryption algorithm with its parameters.
    func charge(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(TLSIdentityFailure) {
        guard let algorithm else { throw .tooManyDerivations }
        try charge(switchboard_iterations(algorithm))
    }

    /// Charges the derivation of an encrypted key.
    func charge(_ closed: OpaquePointer?) throws(TLSIdentityFailure) {
        guard let closed else { throw .tooManyDerivations }
        var algorithm: UnsafePointer<X509_ALGOR>?
        X509_SIG_get0(closed, &algorithm, nil)
        try charge(algorithm)
    }
}
