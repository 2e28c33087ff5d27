import COpenSSL
import ProcessHarness

/// An OpenSSL RSA key, to measure the cost of decryption alone; confined to the benchmark's thread.
final class OpenSSLKey {
    private let pointer: OpaquePointer

    /// Makes a key.
    ///
    /// - Parameter bits: Its size.
    /// - Throws: ``HarnessError`` when OpenSSL fails.
    init(bits: UInt32) throws {
        guard let made = switchboard_EVP_RSA_gen(bits) else { throw HarnessError("OpenSSL made no key") }
        pointer = made
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The private key as PKCS#8.
    var privatePEM: String {
        written { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// The public key as SubjectPublicKeyInfo.
    var publicPEM: String { written { PEM_write_bio_PUBKEY($0, pointer) } }

    /// Decrypts with RSAES-OAEP and SHA-256.
    ///
    /// - Parameter ciphertext: The ciphertext.
    /// - Returns: The plaintext.
    func decrypt(_ ciphertext: [UInt8]) -> [UInt8]? {
        let context = EVP_PKEY_CTX_new(pointer, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var length = Int(EVP_PKEY_get_size(pointer))
        var opened = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_decrypt_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
            EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1,
            EVP_PKEY_decrypt(context, &opened, &length, ciphertext, ciphertext.count) == 1
        else { return nil }
        return Array(opened.prefix(length))
    }

    private func written(_ write: (OpaquePointer?) -> Int32) -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return "" }
        var bytes = [UInt8](repeating: 0, count: switchboard_BIO_pending(bio))
        _ = BIO_read(bio, &bytes, Int32(clamping: bytes.count))
        return String(decoding: bytes, as: UTF8.self)
    }
}
