internal import COpenSSL

/// The state of a hash that was not finished.
///
/// `@unchecked`: it is changed only by the value that holds its only reference; copying only reads it.
@usableFromInline
package final class DigestState: @unchecked Sendable {
    private let context: OpaquePointer

    private init() {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory for a hash") }
        self.context = context
    }

    /// Starts a hash.
    convenience init(_ algorithm: HashAlgorithm) {
        self.init()
        algorithm.start(context)
    }

    /// Copies a state.
    @usableFromInline
    convenience init(copying other: DigestState) {
        self.init()
        other.copy(to: context)
    }

    // The context is cleansed with it.
    deinit { EVP_MD_CTX_free(context) }

    func copy(to other: OpaquePointer) {
        precondition(EVP_MD_CTX_copy_ex(other, context) == 1, "OpenSSL cannot copy a hash")
    }

    @usableFromInline
    func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "OpenSSL cannot hash")
    }

    /// Returns the digest of all bytes until now and of further ones, with zeros after it.
    @usableFromInline
    func digest(appending parts: [[UInt8]]) -> SIMD64<UInt8> {
        let digest = ThreadDigest(copying: self)
        for part in parts { part.withUnsafeBytes { digest.update($0) } }
        return digest.finish()
    }
}
