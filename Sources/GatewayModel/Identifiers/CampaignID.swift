/// The name that a back-end gave to a campaign of proactive messages; unique within a brand.
package struct CampaignID: GatewayIdentifier {
    /// The identifier as the outside program wrote it.
    package let rawValue: String

    /// Takes a string that is known to be valid.
    ///
    /// - Parameter rawValue: A string that passes ``isValid(_:)``; it is not checked again.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
