/// The digest of a hash function, or a code of HMAC with it; compared in constant time.
@usableFromInline
package struct Digest: Sendable, Hashable, RandomAccessCollection {
    /// The bytes, and zeros after them.
    @usableFromInline let bytes: SIMD64<UInt8>
    /// The length in bytes.
    @usableFromInline package let count: Int

    @usableFromInline
    init(_ bytes: SIMD64<UInt8>, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { count }
    @inlinable package subscript(position: Int) -> UInt8 { bytes[position] }

    /// Calls a function with the bytes.
    @inlinable
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: bytes) { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }

    @inlinable
    package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
    }

    @inlinable
    package static func == (first: Self, second: Self) -> Bool { first.isEqualInConstantTime(to: second) }
}

extension [UInt8] {
    /// Creates an array of a digest's bytes; the initializer for any sequence would take longer than the hash.
    @inlinable
    package init(_ digest: Digest) { self = digest.withUnsafeBytes { Array($0) } }
}
