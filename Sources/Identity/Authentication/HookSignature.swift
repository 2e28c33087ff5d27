internal import Cryptography
package import GatewayModel
internal import TextFormats

/// The signature of a helpdesk's webhook: what its headers state, to be verified over the body as it was received.
///
/// - Chatwoot (`lib/webhooks/trigger.rb`): `X-Chatwoot-Signature` is `sha256=` and HMAC-SHA256 of `timestamp.body` in
///   hexadecimal, `X-Chatwoot-Timestamp` the seconds since 1970; the key is the secret's text.
/// - Standard Webhooks: `webhook-signature` has one or more `v1,` and HMAC-SHA256 of `id.timestamp.body` in base64.
/// - A header of the brand's choice: `sha256=` and HMAC-SHA256 of the body in hexadecimal; the key is the secret's text.
package struct HookSignature: Sendable {
    /// How far a signed time may be from the present, in seconds.
    package static let toleranceSeconds: Int64 = 300

    /// The reason why a request is not authentic; the raw value is the JSON value.
    package enum Failure: String, Error, Sendable {
        /// A header is absent or not well formed.
        case missing
        /// The signature is not that of the secret.
        case wrong
        /// The signature is right, and its time too far from the present.
        case expired
    }

    private let key: HookKey
    /// The signed bytes before the body.
    private let prefix: [UInt8]
    private let codes: [[UInt8]]
    /// The signed time, in seconds since 1970.
    private let seconds: Int64?

    /// Reads the headers of a request.
    ///
    /// - Parameters:
    ///   - settings: The webhook's settings.
    ///   - key: Their key; nil prepares it.
    ///   - header: Returns the value of a header by its name in lower case.
    /// - Throws: ``Failure/missing``.
    /// - Returns: Nil when the sender does not sign.
    package static func read(
        _ settings: HookSettings,
        key: HookKey? = nil,
        _ header: (String) -> String?
    ) throws(Failure) -> HookSignature? {
        guard settings.secret != nil else { return nil }
        guard let key = key ?? HookKey(settings) else { throw .missing }
        if let name = settings.signatureHeader {
            guard let name = BoundedName(lowercasing: name), let code = header(name.text).flatMap(hexadecimal) else {
                throw .missing
            }
            return HookSignature(key: key, prefix: [], codes: [code], seconds: nil)
        }
        switch settings.kind {
        case .chatwoot:
            guard let time = header("x-chatwoot-timestamp"), let seconds = Int64(time),
                let code = header("x-chatwoot-signature").flatMap(hexadecimal)
            else { throw .missing }
            return HookSignature(key: key, prefix: prefix(time), codes: [code], seconds: seconds)
        case .generic:
            guard let id = header("webhook-id"), let time = header("webhook-timestamp"), let seconds = Int64(time),
                let signatures = header("webhook-signature")
            else { throw .missing }
            return HookSignature(key: key, prefix: prefix(id, time), codes: codes(signatures), seconds: seconds)
        }
    }

    /// Returns texts, each with a dot after it.
    private static func prefix(_ texts: String...) -> [UInt8] {
        var prefix: [UInt8] = []
        prefix.reserveCapacity(texts.reduce(0) { $0 + $1.utf8.count + 1 })
        for text in texts {
            prefix += text.utf8
            prefix.append(UInt8(ascii: "."))
        }
        return prefix
    }

    /// Returns the bytes of the first signatures of a list whose version is known.
    private static func codes(_ signatures: String) -> [[UInt8]] {
        var signatures = signatures
        return signatures.withUTF8 { text in
            text.split(separator: UInt8(ascii: " "), maxSplits: 16).prefix(16).compactMap { signature in
                guard signature.starts(with: "v1,".utf8) else { return nil }
                return StrictBase64.decode(UnsafeBufferPointer(rebasing: signature.dropFirst(3)), .standard)
            }
        }
    }

    /// Verifies the signature, in constant time.
    ///
    /// - Parameters:
    ///   - body: The body, byte for byte.
    ///   - now: The present by the host's clock.
    /// - Throws: ``Failure``.
    package func verify(_ body: [UInt8], now: Timestamp) throws(Failure) {
        let code = key.code(of: prefix, body)
        guard codes.contains(where: { code.isEqualInConstantTime(to: $0) }) else { throw .wrong }
        guard let seconds else { return }
        let (difference, isBeyond) = seconds.subtractingReportingOverflow(now.seconds)
        guard !isBeyond, difference.magnitude <= UInt64(Self.toleranceSeconds) else { throw .expired }
    }

    /// Returns the bytes of `sha256=` and 64 hexadecimal digits; nil for another text.
    private static func hexadecimal(_ text: String) -> [UInt8]? {
        guard text.hasBytePrefix("sha256=") else { return nil }
        guard text.utf8.count == 71 else { return nil }
        var (text, code) = (text, [UInt8]())
        code.reserveCapacity(32)
        return text.withUTF8 { digits in
            for place in stride(from: 7, to: digits.count, by: 2) {
                guard let high = Hexadecimal.value(of: digits[place]),
                    let low = Hexadecimal.value(of: digits[place + 1])
                else { return nil }
                code.append(high << 4 | low)
            }
            return code
        }
    }
}

/// The key of a webhook's signatures, prepared once and not for each request: secret.
package struct HookKey: Sendable {
    private let keyed: HMAC<SHA256>

    /// Prepares the key; nil for settings without a valid secret.
    package init?(_ settings: HookSettings) {
        guard let secret = settings.secret else { return nil }
        let isText = settings.kind == .chatwoot || settings.signatureHeader != nil
        guard let key = isText ? Array(secret.utf8) : WebhookSecret(secret)?.key else { return nil }
        keyed = HMAC(key: key)
    }

    func code(of prefix: [UInt8], _ body: [UInt8]) -> Digest { keyed.code(of: prefix, body) }
}
