package import GatewayModel

/// One named reader of a brand's outbound feed.
package struct OutboundSubscription: Sendable, Equatable {
    /// Its name.
    package var id: SubscriptionID
    /// The last acknowledged position.
    package var mark: Int64
    /// When it was created.
    package var createdAt: Timestamp
    /// When its mark was last moved; nil when it never was.
    package var acknowledgedAt: Timestamp?
    /// The service account that owns it, which is the first one that read it; nil when none has.
    package var owner: String?

    /// Creates a subscription.
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

/// The result of opening a subscription.
package enum SubscriptionOpening: Sendable, Equatable {
    /// It exists, new or not.
    case open(OutboundSubscription)
    /// The brand has the maximum number of subscriptions.
    case tooMany
    /// There is no such brand.
    case unknownBrand
}

/// The result of an acknowledgement.
package enum SubscriptionAck: Sendable, Equatable {
    /// The mark is at the position, or further already.
    case acknowledged(OutboundSubscription)
    /// The position was not assigned yet.
    case beyondEnd(end: Int64)
    /// There is no such subscription.
    case unknown
}

/// A brand's subscriptions and the end of its feed.
package struct OutboundOverview: Sendable, Equatable {
    /// The subscriptions, by name.
    package var subscriptions: [OutboundSubscription]
    /// The last position that was assigned; 0 when none was.
    package var end: Int64
    /// Nothing up to this position is stored any more.
    package var removedThrough: Int64

    /// Creates an overview.
    package init(subscriptions: [OutboundSubscription], end: Int64, removedThrough: Int64) {
        self.subscriptions = subscriptions
        self.end = end
        self.removedThrough = removedThrough
    }
}
