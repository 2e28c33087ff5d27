package import GatewayModel

/// What became of a campaign, from its first message to now.
///
/// Kept by counting and not by looking at its deliveries: it stands when housekeeping has removed them.
package struct CampaignStats: Sendable, Equatable {
    /// The campaign.
    package var campaign: CampaignID
    /// Its number within the store, rising in the order in which campaigns began.
    package var number: Int64
    /// How many messages were accepted.
    package var messages: Int64
    /// How many of them were tapped, on whatever device.
    package var tappedMessages: Int64
    /// How many deliveries were made for them: one for each device.
    package var deliveries: Int64
    /// When its first message was accepted.
    package var firstAt: Timestamp
    /// When its newest message was accepted.
    package var lastAt: Timestamp
    /// The deliveries that are finished, by provider, state and reason.
    package var finished: [DeliveryStats.Count] = []
    /// What providers and devices say of them.
    package var reports = DeliveryReports()

    /// How many deliveries wait or are on their way.
    package var unfinished: Int64 { deliveries - finished.reduce(0) { $0 + $1.count } }

    /// Takes what is counted; of no finished delivery.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - number: Its number within the store.
    ///   - messages: How many messages were accepted.
    ///   - tappedMessages: How many of them were tapped.
    ///   - deliveries: How many deliveries were made.
    ///   - firstAt: When its first message was accepted.
    ///   - lastAt: When its newest message was accepted.
    package init(
        campaign: CampaignID,
        number: Int64,
        messages: Int64,
        tappedMessages: Int64,
        deliveries: Int64,
        firstAt: Timestamp,
        lastAt: Timestamp
    ) {
        self.campaign = campaign
        self.number = number
        self.messages = messages
        self.tappedMessages = tappedMessages
        self.deliveries = deliveries
        self.firstAt = firstAt
        self.lastAt = lastAt
    }
}
