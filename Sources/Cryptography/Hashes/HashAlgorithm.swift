internal import COpenSSL

/// A hash function of OpenSSL, fetched once.
///
/// Thread-safe. `@unchecked`: an `EVP_MD` is immutable, and its references are counted atomically.
@usableFromInline
package final class HashAlgorithm: @unchecked Sendable {
    static let sha256 = HashAlgorithm("SHA2-256")
    static let sha384 = HashAlgorithm("SHA2-384")
    static let sha512 = HashAlgorithm("SHA2-512")

    /// The length of a digest in bytes, at most 64.
    @usableFromInline package let byteCount: Int
    /// The length of a block in bytes.
    @usableFromInline package let blockByteCount: Int
    let name: String
    private let method: OpaquePointer

    private init(_ name: String) {
        // Nothing of the gateway works without it, and a digest that is not one would be worse.
        guard let method = EVP_MD_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.name = name
        self.method = method
        byteCount = Int(EVP_MD_get_size(method))
        blockByteCount = Int(EVP_MD_get_block_size(method))
    }

    deinit { EVP_MD_free(method) }

    /// Returns the digest of bytes, with zeros after it.
    @usableFromInline
    func hash(_ bytes: UnsafeRawBufferPointer) -> SIMD64<UInt8> {
        let digest = ThreadDigest(self)
        digest.update(bytes)
        return digest.finish()
    }

    /// Starts a hash in a context; one that had the same function is only reset.
    func start(_ context: OpaquePointer) {
        precondition(EVP_DigestInit_ex2(context, method, nil) == 1, "OpenSSL cannot start a hash")
    }

    /// Sets the function of a signature.
    func configure(signature context: OpaquePointer) -> Bool { EVP_PKEY_CTX_set_signature_md(context, method) == 1 }

    /// Signs a certificate (RFC 5280 section 4.1.1.3).
    func sign(certificate: OpaquePointer, _ key: OpaquePointer) -> Bool { X509_sign(certificate, key, method) > 0 }
}
