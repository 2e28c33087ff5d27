internal import Cryptography
internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// The provider's token of a device: as a proof, and the part that may be shown.
enum DeviceToken {
    /// Returns a token that is presented as proof, in its form for each transport; nil when it is invalid for all
    /// transports.
    static func proof(_ text: String) -> PushTokenProof? {
        let tokens = PushType.allCases.compactMap { $0.transport.tokenRule.normalised(text) }
        let forms = Set(tokens.map { Array($0.utf8) })
        return forms.isEmpty ? nil : PushTokenProof(forms: forms)
    }

    /// The first 16 hexadecimal digits of the token's SHA-256: identifies the token without revealing it.
    static func fingerprint(_ token: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Array(token.utf8)).prefix(8))
    }
}
