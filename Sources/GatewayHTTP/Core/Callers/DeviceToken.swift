internal import Crypto
internal import GatewayModel
internal import GatewayStorage

/// The provider's token of a device: its format for each transport, and the part that may be shown.
enum DeviceToken {
    /// Apple says that the length may change and names no limit; today's tokens have 64 digits (ProviderFacts page,
    /// A10).
    private static let maxAPNsDigits = 400
    private static let maxFCMBytes = 4096

    /// Returns the token in its canonical form for its transport; nil when it is invalid.
    static func normalised(_ text: String, for pushType: PushType) -> String? {
        let bytes = text.utf8
        guard !bytes.isEmpty else { return nil }
        switch pushType {
        case .apns:
            guard bytes.count <= maxAPNsDigits, bytes.count % 2 == 0, bytes.allSatisfy(isHexadecimal) else {
                return nil
            }
            return text.lowercased()
        case .fcm, .huawei, .webpush:
            guard bytes.count <= maxFCMBytes, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
            return text
        }
    }

    /// Returns a token that is presented as proof, in its form for each transport; nil when it is invalid for all
    /// transports.
    static func proof(_ text: String) -> PushTokenProof? {
        let forms = Set(PushType.allCases.compactMap { normalised(text, for: $0) }.map { Array($0.utf8) })
        return forms.isEmpty ? nil : PushTokenProof(forms: forms)
    }

    /// The rule for a token, as the detail of an error.
    static func rule(for pushType: PushType) -> String {
        switch pushType {
        case .apns: "must be an even number of at most \(maxAPNsDigits) hexadecimal digits"
        case .fcm, .huawei, .webpush: "must be 1 to \(maxFCMBytes) visible ASCII characters"
        }
    }

    /// The first 16 hexadecimal digits of the token's SHA-256: identifies the token without revealing it.
    static func fingerprint(_ token: String) -> String {
        SHA256.hash(data: Array(token.utf8)).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
