package import GatewayModel

/// What a brand asks of its lanes beyond sending at once.
package struct LaneRules: Sendable, Equatable {
    /// When devices are not to be woken; a consumer's own setting wins.
    package var quietHours: QuietHours?
    /// More waiting agents' messages than this for one device become one summary; nil never does that.
    package var summaryThreshold: Int?
    /// How many pushes of each campaign leave in a second; nil sets no pace.
    package var campaignRatePerSecond: Int64?

    /// Takes the rules of a brand; nil when it has none.
    ///
    /// - Parameter settings: The brand's settings.
    package init?(_ settings: BrandSettings) {
        if settings.quietHours == nil, settings.summaryThreshold == nil, settings.campaignRatePerSecond == nil {
            return nil
        }
        quietHours = settings.quietHours
        summaryThreshold = settings.summaryThreshold.map(Int.init)
        campaignRatePerSecond = settings.campaignRatePerSecond
    }
}
