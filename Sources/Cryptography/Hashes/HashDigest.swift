internal import COpenSSL

/// The digest of a hash function, or a code of HMAC with it: as many bytes as the function has.
@usableFromInline
package struct HashDigest<Function: HashFunction>: Sendable, Hashable, RandomAccessCollection {
    /// The length in bytes.
    @inlinable package static var byteCount: Int { Function.byteCount }

    /// The bytes, and zeros after them.
    @usableFromInline let bytes: SIMD64<UInt8>

    @usableFromInline init(_ bytes: SIMD64<UInt8>) { self.bytes = bytes }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { Self.byteCount }
    @inlinable package subscript(position: Int) -> UInt8 { bytes[position] }

    /// Calls a function with the bytes.
    @inlinable
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: bytes) { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.byteCount))) }
    }

    @inlinable
    package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
    }

    /// Compares in constant time.
    @usableFromInline
    package static func == (first: Self, second: Self) -> Bool {
        first.withUnsafeBytes { second.hasSameBytesInConstantTime(as: $0) }
    }

    /// Returns whether it has the same bytes; only the length may affect the time.
    @usableFromInline
    func hasSameBytesInConstantTime(as other: UnsafeRawBufferPointer) -> Bool {
        withUnsafeBytes { bytes in
            bytes.count == other.count && CRYPTO_memcmp(bytes.baseAddress, other.baseAddress, bytes.count) == 0
        }
    }
}

extension [UInt8] {
    /// Creates an array of a digest's bytes; the initializer for any sequence would take longer than the hash.
    @inlinable
    package init<Function>(_ digest: HashDigest<Function>) { self = digest.withUnsafeBytes { Array($0) } }
}

extension Collection<UInt8> {
    /// Calls a function with the bytes, which are copied only when they are not in one piece.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
            ?? Array(self).withUnsafeBytes { body($0) }
    }
}
