internal import Crypto

/// HMAC-SHA256 (RFC 2104 section 2) with a key of which both blocks were hashed before: secret.
///
/// For codes that each request needs. The library's own `HMAC` is generic in the data, which takes longer than to hash a
/// usual request.
struct PreparedHMAC: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// Prepares a key of any length.
    init(key: [UInt8]) {
        var block = key.count > SHA256.blockByteCount ? Array(SHA256.hash(data: key)) : key
        block.append(contentsOf: repeatElement(0, count: SHA256.blockByteCount - block.count))
        inner = Self.state(block, 0x36)
        outer = Self.state(block, 0x5C)
    }

    private static func state(_ block: [UInt8], _ pad: UInt8) -> SHA256 {
        var state = SHA256()
        state.update(data: block.map { $0 ^ pad })
        return state
    }

    /// Returns the code of a text that is in parts, 32 bytes.
    func code(of parts: [UInt8]...) -> [UInt8] {
        var (inner, outer) = (inner, outer)
        for part in parts { part.withUnsafeBytes { inner.update(bufferPointer: $0) } }
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize().withUnsafeBytes { Array($0) }
    }
}
