/// A hash function of FIPS 180-4; a value is a hash in progress, and its copies are independent.
@usableFromInline
package protocol HashFunction: Sendable {
    /// The function in OpenSSL.
    static var algorithm: HashAlgorithm { get }
    /// The state; shared by copies until one of them changes.
    var state: DigestState { get set }
    /// Starts a hash.
    init()
}

/// SHA-256 (FIPS 180-4 section 6.2).
@usableFromInline
package struct SHA256: HashFunction {
    @usableFromInline package static let algorithm = HashAlgorithm.sha256
    @usableFromInline package var state = DigestState(algorithm)

    /// Starts a hash.
    @usableFromInline
    package init() {}
}

/// SHA-384 (FIPS 180-4 section 6.5).
@usableFromInline
package struct SHA384: HashFunction {
    @usableFromInline package static let algorithm = HashAlgorithm.sha384
    @usableFromInline package var state = DigestState(algorithm)

    /// Starts a hash.
    @usableFromInline
    package init() {}
}

/// SHA-512 (FIPS 180-4 section 6.4).
@usableFromInline
package struct SHA512: HashFunction {
    @usableFromInline package static let algorithm = HashAlgorithm.sha512
    @usableFromInline package var state = DigestState(algorithm)

    /// Starts a hash.
    @usableFromInline
    package init() {}
}

extension HashFunction {
    /// A digest of this function.
    @usableFromInline package typealias Digest = HashDigest<Self>

    /// The length of a digest in bytes.
    @inlinable package static var byteCount: Int { algorithm.byteCount }
    /// The length of a block in bytes.
    @inlinable package static var blockByteCount: Int { algorithm.blockByteCount }

    /// Returns the digest of bytes: the cheapest way for those that are in one piece.
    @inlinable
    package static func hash(data: some Collection<UInt8>) -> Digest {
        data.withBytes { hash(bufferPointer: $0) }
    }

    /// Returns the digest of bytes.
    @inlinable
    package static func hash(bufferPointer bytes: UnsafeRawBufferPointer) -> Digest { Digest(algorithm.hash(bytes)) }

    /// Hashes further bytes.
    @inlinable
    package mutating func update(data: some Collection<UInt8>) {
        data.withBytes { update(bufferPointer: $0) }
    }

    /// Hashes further bytes.
    @inlinable
    package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = DigestState(copying: state) }
        state.update(bytes)
    }

    /// Returns the digest of all bytes until now; the hash may continue.
    @inlinable
    package func finalize() -> Digest { Digest(state.digest(appending: [])) }

    /// Returns the digest of all bytes until now and of further ones, which are not added: cheaper than to copy the
    /// value.
    @inlinable
    package func finalize(appending parts: [[UInt8]]) -> Digest { Digest(state.digest(appending: parts)) }
}
