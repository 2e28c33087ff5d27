/// A turn's additions to a campaign.
package struct CampaignDelta {
    /// The number of its new messages.
    package private(set) var messages = 0
    /// The number of their deliveries.
    package private(set) var deliveries = 0

    /// Adds one message.
    mutating func add(deliveries: Int) {
        messages += 1
        self.deliveries += deliveries
    }
}
