package import GatewayModel
package import PushProviders

/// What the delivery core must be told about lanes; implemented above it, where brands and apps are known.
package protocol LaneDirectory: Sendable {
    /// What a lane is made from; any thread.
    ///
    /// - Parameter id: The lane's number.
    /// - Returns: Nil when its app is gone or no longer has a credential for it.
    func lane(_ id: LaneID) -> LaneDescription?

    /// Makes the provider of a lane; any thread. Opens no connection.
    ///
    /// - Parameters:
    ///   - lane: What the lane is made from.
    ///   - source: Where the provider takes its pushes from.
    /// - Returns: The provider, not connected; nil when its credential is still being opened, after which the lane is
    ///   named as changed.
    /// - Throws: An error whose text names what is wrong with the credential, without secrets.
    func makeProvider(_ lane: LaneDescription, source: any PushSource) throws -> (any PushProvider)?
}

extension LaneDirectory {
    /// What a lane's brand asks of it; nil when that is nothing.
    func rules(of id: LaneID) -> LaneRules? { lane(id).flatMap { LaneRules($0.brand.settings) } }
}
