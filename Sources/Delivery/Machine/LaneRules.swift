package import GatewayModel

/// The rules of a brand for its lanes, beyond sending at once.
package struct LaneRules: Sendable, Equatable {
    /// The hours in which devices are not woken; a consumer's own setting takes precedence.
    package var quietHours: QuietHours?
    /// The most agents' messages that may wait for one device without becoming a summary; nil turns summaries off.
    package var summaryThreshold: Int?
    /// The number of pushes of each campaign that leave in a second; nil sets no pace.
    package var campaignRatePerSecond: Int64?
    /// The time of the brand's objective, in seconds; nil without one.
    package var objectiveSeconds: Int64?

    /// Creates the rules of a brand; nil when it has none.
    package init?(_ settings: BrandSettings) {
        if settings.quietHours == nil, settings.summaryThreshold == nil, settings.campaignRatePerSecond == nil,
            settings.objective == nil
        {
            return nil
        }
        quietHours = settings.quietHours
        summaryThreshold = settings.summaryThreshold.map(Int.init)
        campaignRatePerSecond = settings.campaignRatePerSecond
        objectiveSeconds = settings.objective?.withinSeconds
    }
}

extension LaneDirectory {
    /// Returns the rules of a lane's brand; nil when there are none.
    func rules(of id: LaneID) -> LaneRules? { lane(id).flatMap { LaneRules($0.brand.settings) } }
}
