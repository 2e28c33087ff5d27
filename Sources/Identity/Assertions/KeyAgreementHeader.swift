internal import Cryptography
internal import TextFormats

/// The members of a token's header for its key agreement (RFC 7518 section 4.6.1).
struct KeyAgreementHeader {
    /// `epk`: the sender's ephemeral key for this token, a point of P-256.
    let ephemeralKey: P256.PublicKey
    /// `apu`, empty when it is absent.
    let partyU: [UInt8]
    /// `apv`, empty when it is absent.
    let partyV: [UInt8]

    /// Parses the members; nil when `epk` is not a public key on P-256, or another member not base64url.
    init?(_ header: StrictJSON.Members) {
        guard let epk = header["epk"]?.members, epk["d"] == nil, let key = P256.PublicKey(jwk: epk),
            let partyU = Self.bytes(header["apu"]), let partyV = Self.bytes(header["apv"])
        else { return nil }
        ephemeralKey = key
        self.partyU = partyU
        self.partyV = partyV
    }

    private static func bytes(_ member: StrictJSON?) -> [UInt8]? {
        guard let member else { return [] }
        return member.text.flatMap { StrictBase64.decode($0.utf8, .url) }
    }
}
