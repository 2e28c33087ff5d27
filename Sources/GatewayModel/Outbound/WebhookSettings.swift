/// The webhook for a brand's outbound items, as stored; secrets are sealed.
package struct WebhookSettings: Codable, Equatable, Sendable {
    /// A replaced secret, which still signs for a while, so that receivers can change theirs without a gap.
    package struct Previous: Codable, Equatable, Sendable {
        /// The secret's key, sealed under the master key.
        package var sealedSecret: [UInt8]
        /// The end of its use, in milliseconds since 1970.
        package var untilMilliseconds: Int64

        /// Creates a replaced secret.
        package init(sealedSecret: [UInt8], untilMilliseconds: Int64) {
            self.sealedSecret = sealedSecret
            self.untilMilliseconds = untilMilliseconds
        }
    }

    /// The time for which a replaced secret signs together with the new one, in seconds: a day, so that somebody is at
    /// work.
    package static let previousSeconds: Int64 = 86_400

    /// The maximum of replaced secrets that sign: a caller that renews again because a response was lost keeps the
    /// secret that the receiver has.
    package static let maxPrevious = 3

    /// The receiver's URL.
    package var url: String
    /// The types of the items to post; nil for all.
    package var types: [OutboundType]?
    /// The secret's key, sealed under the master key.
    package var sealedSecret: [UInt8]
    /// The beginning of the secret's hash, for operators.
    package var secretFingerprint: String
    /// The previous secrets that still sign, newest first, at most ``maxPrevious``.
    package var previous: [Previous]
    /// The time at which it was last set, in milliseconds since 1970: setting it again, even unchanged, starts a new
    /// attempt.
    package var setMilliseconds: Int64

    /// Creates the settings of a webhook.
    package init(
        url: String,
        types: [OutboundType]?,
        sealedSecret: [UInt8],
        secretFingerprint: String,
        previous: [Previous] = [],
        setMilliseconds: Int64 = 0
    ) {
        self.url = url
        self.types = types
        self.sealedSecret = sealedSecret
        self.secretFingerprint = secretFingerprint
        self.previous = previous
        self.setMilliseconds = setMilliseconds
    }
}
