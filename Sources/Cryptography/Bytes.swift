internal import COpenSSL

extension Collection<UInt8> {
    /// Calls a function with the bytes, which are copied only when they are not in one piece.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
            ?? Array(self).withUnsafeBytes { body($0) }
    }

    /// Returns whether it has the same bytes; only the lengths may affect the time.
    @inlinable
    package func isEqualInConstantTime(to other: some Collection<UInt8>) -> Bool {
        withBytes { bytes in other.withBytes { haveSameBytesInConstantTime(bytes, $0) } }
    }
}

@usableFromInline
func haveSameBytesInConstantTime(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    first.count == second.count && CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
}

extension [UInt8] {
    /// Overwrites a secret that is not needed any more; copies of the array are not affected.
    package mutating func cleanse() { withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
}
