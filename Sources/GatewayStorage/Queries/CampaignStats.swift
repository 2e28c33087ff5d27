package import GatewayModel

/// The statistics of a campaign, from its first message to now.
///
/// They are counters, not derived from the deliveries: they remain when housekeeping has removed the deliveries.
package struct CampaignStats: Sendable, Equatable {
    /// The campaign.
    package var campaign: CampaignID
    /// Its number within the store, rising in the order in which campaigns began.
    package var number: Int64
    /// The number of accepted messages.
    package var messages: Int64
    /// The number of messages that were tapped, on any device.
    package var tappedMessages: Int64
    /// The number of their deliveries, one for each device.
    package var deliveries: Int64
    /// When its first message was accepted.
    package var firstAt: Timestamp
    /// When its newest message was accepted.
    package var lastAt: Timestamp
    /// The deliveries that are finished, by provider, state and reason.
    package var finished: [DeliveryStats.Count] = []
    /// The reports of providers and devices about them.
    package var reports = DeliveryReports()

    /// The number of deliveries that wait or are in flight.
    package var unfinished: Int64 { deliveries - finished.reduce(0) { $0 + $1.count } }

    /// Creates the statistics, without finished deliveries.
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
