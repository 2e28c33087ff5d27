package import GatewayModel
package import PushProviders

/// The delivery core's source of lanes and providers; implemented above it, where brands and apps are known.
package protocol LaneDirectory: Sendable {
    /// Returns the description of a lane; callable from any thread.
    ///
    /// - Parameter id: The lane's number.
    /// - Returns: Nil when its app was deleted or no longer has a credential for it.
    func lane(_ id: LaneID) -> LaneDescription?

    /// Creates the provider of a lane; callable from any thread.
    ///
    /// It opens no connection.
    ///
    /// - Parameters:
    ///   - lane: The description of the lane.
    ///   - source: The source that the provider takes its pushes from.
    /// - Returns: The provider, not connected; nil while its credential is still being loaded, after which the lane is
    ///   reported as changed.
    /// - Throws: An error whose text says what is wrong with the credential, without secrets.
    func makeProvider(_ lane: LaneDescription, source: any PushSource) throws -> (any PushProvider)?
}

extension LaneDirectory {
    /// Returns the rules of a lane's brand; nil when there are none.
    func rules(of id: LaneID) -> LaneRules? { lane(id).flatMap { LaneRules($0.brand.settings) } }
}
