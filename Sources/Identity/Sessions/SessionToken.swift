internal import Cryptography
internal import GatewayModel
internal import TextFormats

/// The text of a session token: `sbs_`, so that secret scanners find a leaked one, and base64url of 256 random bits,
/// the expiry, and a MAC that authenticates the expiry.
///
/// Rows of expired sessions are deleted after a day. An app that was not opened for longer must still receive
/// `token_expired`, to which it responds with a new login, and not `token_invalid`, which it reports as an error.
struct SessionToken {
    private static let prefix = "sbs_"
    private static let randomBytes = 32
    private static let timeBytes = 4
    private static let codeBytes = 8
    /// `sbs_` and 59 characters of base64url.
    private static let length = 63

    /// The MAC's key, prepared once and not for each token.
    private let keyed: HMAC<SHA256>

    /// Creates a generator and parser of tokens with the key of the MAC.
    init(key: [UInt8]) { keyed = HMAC(key: key) }

    /// Returns a new token.
    func make(expiresAt: Timestamp) -> String {
        var bytes = SecureRandom.bytes(Self.randomBytes)
        withUnsafeBytes(of: UInt32(clamping: expiresAt.seconds).bigEndian) { bytes.append(contentsOf: $0) }
        return Self.prefix + StrictBase64.encode(bytes + code(of: bytes), .url)
    }

    /// Returns the stored form of a token, its SHA-256; nil for a text that is not a session token.
    static func hash(of token: String) -> [UInt8]? {
        guard token.utf8.count == length, token.hasBytePrefix(prefix) else { return nil }
        return SecretHash.sha256(token.utf8)
    }

    /// Returns whether a token was issued here and has expired, by its text alone.
    func hasExpired(_ token: String, now: Timestamp) -> Bool {
        guard let bytes = StrictBase64.decode(token.utf8.dropFirst(Self.prefix.utf8.count), .url),
            bytes.count == Self.randomBytes + Self.timeBytes + Self.codeBytes
        else { return false }
        let content = Array(bytes.dropLast(Self.codeBytes))
        guard code(of: content).isEqualInConstantTime(to: bytes.suffix(Self.codeBytes)) else { return false }
        let expiry = content.suffix(Self.timeBytes).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return expiry <= now.seconds
    }

    private func code(of content: [UInt8]) -> [UInt8] { Array(keyed.code(of: content).prefix(Self.codeBytes)) }
}
