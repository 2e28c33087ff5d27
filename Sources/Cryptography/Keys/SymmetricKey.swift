internal import COpenSSL

/// A secret key of any length; its bytes are cleansed with the last copy.
@usableFromInline
package struct SymmetricKey: Sendable {
    private let bytes: SecretBytes

    /// Creates a key from its bytes.
    package init(data: some Collection<UInt8>) {
        bytes = data.withBytes { data in SecretBytes(count: data.count) { $0.copyMemory(from: data) } }
    }

    init(byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes = SecretBytes(count: byteCount, fill)
    }

    /// The length in bits.
    package var bitCount: Int { bytes.count * 8 }

    /// Calls a function with the bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// Overwrites a copy of a secret.
    static func cleanse(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}

/// Bytes that are cleansed before they are freed.
///
/// `@unchecked`: they are written only by the initializer.
private final class SecretBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    var count: Int { buffer.count }

    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        buffer = .allocate(byteCount: count, alignment: 1)
        fill(buffer)
    }

    deinit {
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(buffer))
    }
}

/// OpenSSL's generator of random bytes for secrets.
enum SystemRandom {
    static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let isDone = ErrorQueue.isolated {
            RAND_priv_bytes(buffer.bindMemory(to: UInt8.self).baseAddress, Int32(clamping: buffer.count)) == 1
        }
        precondition(isDone, "OpenSSL has no randomness")
    }

    static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            fill(UnsafeMutableRawBufferPointer(buffer))
            filled = count
        }
    }
}
