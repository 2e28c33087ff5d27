/// Where a brand's outbound items are posted to, as it is stored; secrets are sealed.
package struct WebhookSettings: Codable, Equatable, Sendable {
    /// A secret that was replaced: it still signs for a while, so that receivers can change theirs without a gap.
    package struct Previous: Codable, Equatable, Sendable {
        /// The secret's key, sealed under the master key.
        package var sealedSecret: [UInt8]
        /// Until when it signs too, in milliseconds since 1970.
        package var untilMilliseconds: Int64

        /// Takes a replaced secret.
        ///
        /// - Parameters:
        ///   - sealedSecret: The secret's key, sealed.
        ///   - untilMilliseconds: Until when it signs too.
        package init(sealedSecret: [UInt8], untilMilliseconds: Int64) {
            self.sealedSecret = sealedSecret
            self.untilMilliseconds = untilMilliseconds
        }
    }

    /// How long a replaced secret signs beside the new one, in seconds: a day, so that somebody is at work.
    package static let previousSeconds: Int64 = 86_400

    /// How many replaced secrets sign: whoever renews again because an answer was lost does not lose the one that the
    /// receiver has.
    package static let maxPrevious = 3

    /// The receiver's address.
    package var url: String
    /// What is posted; nil is everything.
    package var types: [OutboundType]?
    /// The secret's key, sealed under the master key.
    package var sealedSecret: [UInt8]
    /// The beginning of the secret's hash, for operators.
    package var secretFingerprint: String
    /// The secrets before this one that sign too, newest first, at most ``maxPrevious``.
    package var previous: [Previous]
    /// When it was last set, in milliseconds since 1970: setting it again, even the same, has it tried again.
    package var setMilliseconds: Int64

    /// Takes where to post.
    ///
    /// - Parameters:
    ///   - url: The receiver's address.
    ///   - types: What is posted; nil is everything.
    ///   - sealedSecret: The secret's key, sealed.
    ///   - secretFingerprint: The beginning of the secret's hash.
    ///   - previous: The secrets before this one.
    ///   - setMilliseconds: When it was last set.
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
