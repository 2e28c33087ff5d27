/// Encrypted content with its additional authenticated data (RFC 7518 section 5.1).
struct ClosedContent: Sendable {
    /// The initialization vector.
    var initializationVector: [UInt8]
    /// The ciphertext.
    var ciphertext: [UInt8]
    /// The authentication tag.
    var tag: [UInt8]
    /// The data that is authenticated and not encrypted: for a token the ASCII text of part 1 as received.
    var additionalData: [UInt8]
}
