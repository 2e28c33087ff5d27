internal import Cryptography
internal import GatewayModel
internal import TextFormats

/// A `proactiveCampaignId`: the campaign, and the keys between which its messages are.
///
/// Its text is 42 characters of base64url. The first 20 are the campaign's name in the gateway's own API; an id without
/// messages is no longer than that.
struct CampaignReference {
    /// The campaign's name.
    let campaign: String
    /// The lowest ``MessageID/high``.
    let first: UInt64
    /// The highest ``MessageID/high``.
    let last: UInt64

    /// The number of bytes of the name: 20 characters of base64url, without a rest.
    private static let nameBytes = 15

    /// Returns the name of a request's campaign: a hash of its brand and its body.
    static func campaign(of body: [UInt8], _ brand: BrandID) -> String {
        StrictBase64.encode(SHA256.hash(data: Array(brand.rawValue.utf8) + [0] + body).prefix(nameBytes), .url)
    }

    /// Creates the id of a campaign with messages; without any, no messages are found by it.
    init(campaign: String, messages: [MessageID]) {
        self.campaign = campaign
        first = messages.map(\.high).min() ?? 1
        last = messages.map(\.high).max() ?? 0
    }

    /// Parses an id; nil when it names no messages.
    init?(_ text: String) {
        guard let bytes = StrictBase64.decode(text.utf8, .url), bytes.count == Self.nameBytes + 16 else { return nil }
        func number(_ start: Int) -> UInt64 { bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
        campaign = StrictBase64.encode(bytes.prefix(Self.nameBytes), .url)
        first = number(Self.nameBytes)
        last = number(Self.nameBytes + 8)
    }

    /// The id as text.
    var text: String {
        guard first <= last else { return campaign }
        var bytes: [UInt8] = []
        for number in [first, last] { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        // The name has no rest, so that both texts follow each other.
        return campaign + StrictBase64.encode(bytes, .url)
    }
}
