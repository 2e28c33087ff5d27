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

    private static var threadContext: OpaquePointer {
        if let kept = pthread_getspecific(key) { return OpaquePointer(kept) }
        guard let made = EVP_MD_CTX_new() else { preconditionFailure("no memory for a hash") }
        pthread_setspecific(key, UnsafeRawPointer(made))
        return made
    }

    /// Starts a hash.
    init(_ algorithm: HashAlgorithm) {
        context = Self.threadContext
        algorithm.start(context)
    }

    /// Continues a copy of a state.
    init(copying state: DigestState) {
        context = Self.threadContext
        state.copy(to: context)
    }

    /// Hashes further bytes.
    func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "OpenSSL cannot hash")
    }

    /// Returns the digest, with zeros after it.
    consuming func finish() -> SIMD64<UInt8> {
        var digest = SIMD64<UInt8>()
        let isDone = withUnsafeMutableBytes(of: &digest) { buffer in
            EVP_DigestFinal_ex(context, buffer.bindMemory(to: UInt8.self).baseAddress, nil) == 1
        }
        precondition(isDone, "OpenSSL cannot finish a hash")
        return digest
    }
}
