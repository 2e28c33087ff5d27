internal import Cryptography

/// HMAC-SHA256 (RFC 2104 section 2) with a key of which both blocks were hashed before: secret.
///
/// For codes that each request needs.
struct PreparedHMAC: Sendable {
    private let state: HMAC<SHA256>

    /// Prepares a key of any length.
    init(key: [UInt8]) { state = HMAC(key: SymmetricKey(data: key)) }

    /// Returns the code of a text that is in parts, 32 bytes.
    func code(of parts: [UInt8]...) -> [UInt8] { Array(state.finalize(appending: parts)) }
}
