internal import COpenSSL

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A hash in the context that the calling thread keeps for this purpose: creating one costs as much as hashing a short
/// text.
///
/// Only one at a time: whoever has one calls nothing that could start another. Digests push no errors, so that the error
/// queue needs no clearing.
struct ThreadDigest: ~Copyable {
    private static let key = {
        var key = pthread_key_t()
        let isMade = pthread_key_create(&key) { EVP_MD_CTX_free(OpaquePointer($0)) } == 0
        precondition(isMade, "no key for data of threads")
        return key
    }()

    private let context: OpaquePointer
    private let byteCount: Int

    private static var threadContext: OpaquePointer {
        if let kept = pthread_getspecific(key) { return OpaquePointer(kept) }
        let made = DigestState.newContext()
        pthread_setspecific(key, UnsafeRawPointer(made))
        return made
    }

    /// Starts a hash.
    init(_ algorithm: HashAlgorithm) {
        (context, byteCount) = (Self.threadContext, algorithm.byteCount)
        algorithm.start(context)
    }

    /// Continues a copy of a state.
    init(_ state: DigestState) {
        (context, byteCount) = (Self.threadContext, state.byteCount)
        precondition(EVP_MD_CTX_copy_ex(context, state.context) == 1, "OpenSSL cannot copy a hash")
    }

    /// Hashes further bytes.
    func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "OpenSSL cannot hash")
    }

    /// Returns the digest.
    consuming func finish() -> Digest {
        var digest = SIMD64<UInt8>()
        let isDone = withUnsafeMutableBytes(of: &digest) { buffer in
            EVP_DigestFinal_ex(context, buffer.bindMemory(to: UInt8.self).baseAddress, nil) == 1
        }
        precondition(isDone, "OpenSSL cannot finish a hash")
        return Digest(digest, count: byteCount)
    }
}

/// The state of a hash after its first bytes, of which ``ThreadDigest`` continues copies.
///
/// `@unchecked`: it does not change after its initializer.
final class DigestState: @unchecked Sendable {
    fileprivate let context = newContext()
    fileprivate let byteCount: Int

    init(_ algorithm: HashAlgorithm, after bytes: UnsafeRawBufferPointer) {
        byteCount = algorithm.byteCount
        algorithm.start(context)
        precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "OpenSSL cannot hash")
    }

    // The context is cleansed with it.
    deinit { EVP_MD_CTX_free(context) }

    fileprivate static func newContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory for a hash") }
        return context
    }
}
