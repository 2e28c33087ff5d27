internal import COpenSSL

/// HMAC (RFC 2104, FIPS 198-1) with a key of which both blocks are hashed: for many codes with one key.
package struct HMAC<Function: HashFunction>: Sendable {
    private let inner: DigestState
    private let outer: DigestState

    /// Prepares a key of any length.
    package init(key: some Collection<UInt8>) {
        let algorithm = Function.algorithm
        (inner, outer) = key.withBytes { key in
            algorithm.withPads(of: key) { (DigestState(algorithm, after: $0), DigestState(algorithm, after: $1)) }
        }
    }

    /// Returns the code of bytes that are in parts.
    package func code(of parts: [UInt8]...) -> Digest {
        let digest = ThreadDigest(inner)
        for part in parts { part.withUnsafeBytes { digest.update($0) } }
        return digest.finish().withUnsafeBytes { hash in
            let digest = ThreadDigest(outer)
            digest.update(hash)
            return digest.finish()
        }
    }

    /// Returns the code of bytes with a key of any length.
    @inlinable
    package static func authenticationCode(
        for data: some Collection<UInt8>,
        using key: some Collection<UInt8>
    ) -> Digest {
        data.withBytes { data in key.withBytes { Function.algorithm.authenticationCode(of: data, $0) } }
    }

    /// Returns whether a code is that of bytes, compared in constant time; false for a code of another length.
    @inlinable
    package static func isValidAuthenticationCode(
        _ code: some Collection<UInt8>,
        authenticating data: some Collection<UInt8>,
        using key: some Collection<UInt8>
    ) -> Bool {
        authenticationCode(for: data, using: key).isEqualInConstantTime(to: code)
    }
}

extension HashAlgorithm {
    /// Returns the code of HMAC.
    @usableFromInline
    func authenticationCode(of bytes: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) -> Digest {
        withPads(of: key) { innerPad, outerPad in
            let inner = ThreadDigest(self)
            inner.update(innerPad)
            inner.update(bytes)
            return inner.finish().withUnsafeBytes { hash in
                let outer = ThreadDigest(self)
                outer.update(outerPad)
                outer.update(hash)
                return outer.finish()
            }
        }
    }

    /// Calls a function with the two blocks of a key of HMAC, which are cleansed afterwards.
    fileprivate func withPads<Result>(
        of key: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 2 * blockByteCount, alignment: 8) { pads in
            defer { OPENSSL_cleanse(pads.baseAddress, pads.count) }
            pads.initializeMemory(as: UInt8.self, repeating: 0)
            if key.count <= blockByteCount {
                pads.copyMemory(from: key)
            } else {
                hash(key).withUnsafeBytes { pads.copyMemory(from: $0) }
            }
            for index in 0..<blockByteCount {
                pads[blockByteCount + index] = pads[index] ^ 0x5C
                pads[index] ^= 0x36
            }
            return body(
                UnsafeRawBufferPointer(rebasing: pads[..<blockByteCount]),
                UnsafeRawBufferPointer(rebasing: pads[blockByteCount...])
            )
        }
    }
}
