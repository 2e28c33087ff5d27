internal import COpenSSL

extension AsymmetricKey {
    /// The hash of RSAES-OAEP, for its label and its mask alike (RFC 7518 section 4.3).
    enum OAEPHash {
        case sha1
        case sha256
    }

    /// Opens what was closed for a private RSA key (RSAES-OAEP, RFC 8017 section 7.1.2).
    ///
    /// - Parameters:
    ///   - ciphertext: What was closed.
    ///   - hash: The hash.
    /// - Returns: What was in it; nil when it does not open, for whatever reason.
    func opened(_ ciphertext: [UInt8], _ hash: OAEPHash) -> [UInt8]? {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let digest = hash == .sha1 ? EVP_sha1() : EVP_sha256()
        let context = EVP_PKEY_CTX_new(pointer, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_decrypt_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
            // The mask's hash is the same unless another is set (EVP_PKEY_CTX_set_rsa_mgf1_md(3)).
            EVP_PKEY_CTX_set_rsa_oaep_md(context, digest) == 1
        else { return nil }
        var length = Int(EVP_PKEY_get_size(pointer))
        var opened = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_decrypt(context, &opened, &length, ciphertext, ciphertext.count) == 1 else { return nil }
        opened.removeLast(opened.count - length)
        return opened
    }
}
