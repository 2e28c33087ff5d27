package import GatewayModel

/// One named reader of a brand's outbound feed.
package struct OutboundSubscription: Sendable, Equatable {
    /// Its name.
    package var id: SubscriptionID
    /// Up to where it has acknowledged.
    package var mark: Int64
    /// When it was made.
    package var createdAt: Timestamp
    /// When its mark was last moved; nil when it never was.
    package var acknowledgedAt: Timestamp?
    /// The service account that owns it, which is the first one that read it; nil when none has.
    package var owner: String?

    /// Takes the facts of a subscription.
    ///
    /// - Parameters:
    ///   - id: Its name.
    ///   - mark: Up to where it has acknowledged.
    ///   - createdAt: When it was made.
    ///   - acknowledgedAt: When its mark was last moved.
    ///   - owner: The service account that owns it.
    package init(
        id: SubscriptionID,
        mark: Int64,
        createdAt: Timestamp,
        acknowledgedAt: Timestamp?,
        owner: String? = nil
    ) {
        self.id = id
        self.mark = mark
        self.createdAt = createdAt
        self.acknowledgedAt = acknowledgedAt
        self.owner = owner
    }
}

/// What became of a wish for a subscription.
package enum SubscriptionOpening: Sendable, Equatable {
    /// It is there, new or not.
    case open(OutboundSubscription)
    /// The brand has as many as it may have.
    case tooMany
    /// There is no such brand.
    case unknownBrand
}

/// What became of an acknowledgement.
package enum SubscriptionAck: Sendable, Equatable {
    /// The mark is there, or lies further already.
    case acknowledged(OutboundSubscription)
    /// No such position was given yet.
    case beyondEnd(end: Int64)
    /// There is no such subscription.
    case unknown
}

/// A brand's subscriptions and where its feed ends.
package struct OutboundOverview: Sendable, Equatable {
    /// The subscriptions, by name.
    package var subscriptions: [OutboundSubscription]
    /// The last position that was given; 0 when none was.
    package var end: Int64
    /// Nothing up to this position is kept any more.
    package var removedThrough: Int64

    /// Takes what there is.
    ///
    /// - Parameters:
    ///   - subscriptions: The subscriptions, by name.
    ///   - end: The last position that was given.
    ///   - removedThrough: Nothing up to this position is kept any more.
    package init(subscriptions: [OutboundSubscription], end: Int64, removedThrough: Int64) {
        self.subscriptions = subscriptions
        self.end = end
        self.removedThrough = removedThrough
    }
}
