internal import COpenSSL

/// HMAC (RFC 2104, FIPS 198-1); a value is a code in progress for one key, and its copies are independent.
@usableFromInline
package struct HMAC<Function: HashFunction>: Sendable {
    /// A code.
    @usableFromInline package typealias MAC = HashDigest<Function>

    private var inner = Function()
    private var outer = Function()

    /// Prepares a key of any length.
    package init(key: SymmetricKey) {
        Function.algorithm.withPads(of: key) { innerPad, outerPad in
            inner.update(bufferPointer: innerPad)
            outer.update(bufferPointer: outerPad)
        }
    }

    /// Authenticates further bytes.
    package mutating func update(data: some Collection<UInt8>) {
        data.withBytes { inner.update(bufferPointer: $0) }
    }

    /// Returns the code of all bytes until now.
    package func finalize() -> MAC { finalize(appending: []) }

    /// Returns the code of all bytes until now and of further ones, which are not added: the cheapest way for many codes
    /// with one key.
    package func finalize(appending parts: [[UInt8]]) -> MAC {
        let hash = inner.finalize(appending: parts)
        let digest = ThreadDigest(copying: outer.state)
        hash.withUnsafeBytes { digest.update($0) }
        return MAC(digest.finish())
    }

    /// Returns the code of bytes with a key of any length.
    @inlinable
    package static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> MAC {
        data.withBytes { MAC(Function.algorithm.authenticationCode(of: $0, key)) }
    }

    /// Returns whether a code is that of bytes, compared in constant time; false for a code of another length.
    @inlinable
    package static func isValidAuthenticationCode(
        _ code: some Collection<UInt8>,
        authenticating data: some Collection<UInt8>,
        using key: SymmetricKey
    ) -> Bool {
        let expected = authenticationCode(for: data, using: key)
        return code.withBytes { expected.hasSameBytesInConstantTime(as: $0) }
    }
}

extension HashAlgorithm {
    /// Returns the code of HMAC, with zeros after it.
    @usableFromInline
    func authenticationCode(of bytes: UnsafeRawBufferPointer, _ key: SymmetricKey) -> SIMD64<UInt8> {
        withPads(of: key) { innerPad, outerPad in
            let inner = ThreadDigest(self)
            inner.update(innerPad)
            inner.update(bytes)
            let hash = inner.finish()
            let outer = ThreadDigest(self)
            outer.update(outerPad)
            withUnsafeBytes(of: hash) { outer.update(UnsafeRawBufferPointer(rebasing: $0.prefix(byteCount))) }
            return outer.finish()
        }
    }

    /// Calls a function with the two blocks of a key of HMAC, which are cleansed afterwards.
    fileprivate func withPads<Result>(
        of key: SymmetricKey,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 2 * blockByteCount, alignment: 8) { pads in
            defer { OPENSSL_cleanse(pads.baseAddress, pads.count) }
            pads.initializeMemory(as: UInt8.self, repeating: 0)
            key.withUnsafeBytes { bytes in
                if bytes.count <= blockByteCount {
                    pads.copyMemory(from: bytes)
                } else {
                    withUnsafeBytes(of: hash(bytes)) { pads.copyMemory(from: $0) }
                }
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
