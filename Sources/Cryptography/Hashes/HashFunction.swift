internal import COpenSSL

/// A hash function of FIPS 180-4.
@usableFromInline
package protocol HashFunction {
    /// The function in OpenSSL.
    static var algorithm: HashAlgorithm { get }
}

/// SHA-256 (FIPS 180-4 section 6.2).
@usableFromInline
package enum SHA256: HashFunction {
    @usableFromInline package static let algorithm = HashAlgorithm("SHA2-256")
}

/// SHA-384 (FIPS 180-4 section 6.5).
@usableFromInline
package enum SHA384: HashFunction {
    @usableFromInline package static let algorithm = HashAlgorithm("SHA2-384")
}

/// SHA-512 (FIPS 180-4 section 6.4).
@usableFromInline
package enum SHA512: HashFunction {
    @usableFromInline package static let algorithm = HashAlgorithm("SHA2-512")
}

extension HashFunction {
    /// Returns the digest of bytes.
    @inlinable
    package static func hash(data: some Collection<UInt8>) -> Digest { data.withBytes { algorithm.hash($0) } }
}

/// A hash function of OpenSSL, fetched once.
///
/// Thread-safe. `@unchecked`: an `EVP_MD` is immutable, and its references are counted atomically.
@usableFromInline
package final class HashAlgorithm: @unchecked Sendable {
    /// The length of a digest in bytes, at most 64.
    let byteCount: Int
    /// The length of a block in bytes.
    let blockByteCount: Int
    private let method: OpaquePointer

    fileprivate init(_ name: String) {
        switchboard_keep_openssl_at_exit()
        // Nothing of the gateway works without it, and a digest that is not one would be worse.
        guard let method = EVP_MD_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.method = method
        byteCount = Int(EVP_MD_get_size(method))
        blockByteCount = Int(EVP_MD_get_block_size(method))
    }

    deinit { EVP_MD_free(method) }

    /// Starts a hash in a context; one that had the same function is only reset.
    func start(_ context: OpaquePointer) {
        precondition(EVP_DigestInit_ex2(context, method, nil) == 1, "OpenSSL cannot start a hash")
    }

    @usableFromInline
    func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
        let digest = ThreadDigest(self)
        digest.update(bytes)
        return digest.finish()
    }
}
