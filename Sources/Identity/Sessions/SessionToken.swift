internal import Crypto
internal import GatewayModel
internal import TextFormats

/// The text of a session's token: `sbs_`, so that scanners find one that leaked, and base64url of 256 random bits, of when
/// it expires, and of a code that shows the time to be ours.
///
/// Rows of sessions that expired are removed after a day. An app that was not opened for longer must still be told that
/// its token has expired, which it answers with a new login, and not that it is invalid, which it reports as a failure.
struct SessionToken {
    private static let prefix = "sbs_"
    private static let randomBytes = 32
    private static let timeBytes = 4
    private static let codeBytes = 8
    /// `sbs_` and 59 characters of base64url.
    private static let length = 63

    /// The code's key, taken in once and not for each token.
    private let keyed: HMAC<SHA256>

    /// Makes and reads tokens.
    ///
    /// - Parameter key: What shows times to be ours.
    init(key: [UInt8]) { keyed = HMAC<SHA256>(key: SymmetricKey(data: key)) }

    /// A new token.
    func make(expiresAt: Timestamp) -> String {
        var bytes = SecureRandom.bytes(Self.randomBytes)
        withUnsafeBytes(of: UInt32(clamping: expiresAt.seconds).bigEndian) { bytes.append(contentsOf: $0) }
        return Self.prefix + StrictBase64.encode(bytes + code(of: bytes), .url)
    }

    /// What is stored of a token: its SHA-256; nil for a text that is none of ours.
    static func hash(of token: String) -> [UInt8]? {
        guard token.utf8.count == length, token.hasBytePrefix(prefix) else { return nil }
        return SecretHash.sha256(token.utf8)
    }

    /// Whether a token was made here and its time is over, when nothing else is known of it.
    func hasExpired(_ token: String, now: Timestamp) -> Bool {
        guard let bytes = StrictBase64.decode(token.utf8.dropFirst(Self.prefix.utf8.count), .url),
            bytes.count == Self.randomBytes + Self.timeBytes + Self.codeBytes
        else { return false }
        let content = Array(bytes.dropLast(Self.codeBytes))
        guard ConstantTime.equal(Array(bytes.suffix(Self.codeBytes)), code(of: content)) else { return false }
        let expiry = content.suffix(Self.timeBytes).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return expiry <= now.seconds
    }

    private func code(of content: [UInt8]) -> [UInt8] {
        var code = keyed
        code.update(data: content)
        return code.finalize().withUnsafeBytes { Array($0.prefix(Self.codeBytes)) }
    }
}
