/// The name that a back-end gave to a campaign of proactive messages; unique within a brand.
package struct CampaignID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
