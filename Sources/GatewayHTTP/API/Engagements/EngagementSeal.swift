internal import Cryptography
internal import GatewayModel
internal import TextFormats

/// Creates and checks context ids, which prove that an engagement was offered, so that nothing is stored for the
/// caller.
///
/// A context id is base64url of its creation time (seconds since 1970, 8 bytes), the first 8 bytes of a hash of the
/// engagement at that time, and the first 16 bytes of an HMAC-SHA256 over both, the brand, the two ids and the
/// consumer, if one was identified. So an engagement that was changed or removed since is distinguished from one that
/// was never offered.
struct EngagementSeal: Sendable {
    /// The result of checking a context id.
    enum Verdict: Equatable {
        /// It was offered, and the offer is still valid.
        case good(Engagement)
        /// It was offered, but too long ago, or it has changed since.
        case stale
        /// It was not offered, or to another consumer.
        case unknown
    }

    /// The lifetime of an offer: one day.
    ///
    /// An app that is opened later asks again.
    static let lifetimeSeconds: Int64 = 86_400
    private static let headLength = 16
    private static let tagLength = 16

    private let key: [UInt8]

    /// Creates a seal with the instance's key for context ids.
    init(key: [UInt8]) { self.key = key }

    /// Returns the context id of an offer.
    func seal(_ engagement: Engagement, of brand: BrandID, to consumer: ConsumerID?, at now: Timestamp) -> String {
        let seconds = UInt64(bitPattern: now.milliseconds / 1000)
        let head = withUnsafeBytes(of: seconds.bigEndian) { Array($0) } + Self.fingerprint(engagement)
        let tag = tag(head, campaign: engagement.campaignId, engagement: engagement.id, brand, consumer)
        return StrictBase64.encode(head + tag, .url)
    }

    /// Checks a device's claim.
    func verdict(
        on claim: EngagementBody.Claim,
        of brand: Brand,
        from consumer: ConsumerID,
        at now: Timestamp
    ) -> Verdict {
        guard let bytes = StrictBase64.decode(claim.contextID.utf8, .url),
            bytes.count == Self.headLength + Self.tagLength
        else { return .unknown }
        let head = Array(bytes.prefix(Self.headLength))
        let sent = bytes.suffix(Self.tagLength)
        // A consumer who was not identified at the offer may be any consumer now.
        let isOurs = [nil, consumer].contains { known in
            let tag = tag(head, campaign: claim.campaignID, engagement: claim.engagementID, brand.id, known)
            // In constant time, so that the time does not reveal where they differ.
            return zip(tag, sent).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
        guard isOurs else { return .unknown }
        let madeAt = Int64(bitPattern: head.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        guard now.milliseconds / 1000 - madeAt <= Self.lifetimeSeconds,
            let engagement = brand.settings.engagements.first(where: {
                $0.id.hasSameBytes(as: claim.engagementID) && $0.campaignId.hasSameBytes(as: claim.campaignID)
            }),
            Self.fingerprint(engagement).elementsEqual(head.suffix(8))
        else { return .stale }
        return .good(engagement)
    }

    private func tag(
        _ head: [UInt8],
        campaign: String,
        engagement: String,
        _ brand: BrandID,
        _ consumer: ConsumerID?
    ) -> [UInt8] {
        let text = Self.joined([brand.rawValue, campaign, engagement] + (consumer.map { [$0.rawValue] } ?? []))
        let code = HMAC<SHA256>.authenticationCode(for: head + text, using: key)
        return Array(code.prefix(Self.tagLength))
    }

    private static func fingerprint(_ engagement: Engagement) -> [UInt8] {
        let parts = [
            engagement.id, engagement.campaignId, engagement.app ?? "", engagement.skill, engagement.language ?? "",
            engagement.surveyId ?? "",
        ]
        return Array(SHA256.hash(data: joined(parts + engagement.entryPoints)).prefix(8))
    }

    /// Concatenates texts, each with its length, so that different lists have different results.
    private static func joined(_ parts: [String]) -> [UInt8] {
        Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
    }
}
