/// A rule that changes the simulator's behaviour: conditions and an action.
package struct SimulatorRule: Sendable, Equatable {
    /// The conditions of the rule.
    ///
    /// All given conditions must hold.
    package var match: Match
    /// The action of the rule.
    package var action: RuleAction

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - match: The conditions.
    ///   - action: The action.
    package init(match: Match = Match(), action: RuleAction) {
        self.match = match
        self.action = action
    }

    /// The conditions of a rule.
    package struct Match: Sendable, Equatable {
        /// Nil for pushes of both push services; the token endpoint and the identity provider must be named.
        package var provider: SimulatedProvider?
        /// The first characters of the device token; of `token` or `jwks` at the identity provider.
        package var tokenPrefix: String?
        /// The minimum size of the body in bytes, at least 1; nil for all.
        package var minBytes: Int?
        /// Applies only to every n-th matching request, at least 1; nil for each.
        package var everyNth: Int?

        /// Creates conditions.
        ///
        /// - Parameters:
        ///   - provider: Nil for pushes of both push services.
        ///   - tokenPrefix: The first characters of the device token.
        ///   - minBytes: The minimum size of the body in bytes.
        ///   - everyNth: Applies only to every n-th matching request.
        package init(
            provider: SimulatedProvider? = nil,
            tokenPrefix: String? = nil,
            minBytes: Int? = nil,
            everyNth: Int? = nil
        ) {
            self.provider = provider
            self.tokenPrefix = tokenPrefix
            self.minBytes = minBytes
            self.everyNth = everyNth
        }

        /// Returns whether a request matches, ignoring `everyNth`.
        func fits(_ provider: SimulatedProvider, token: String?, bytes: Int) -> Bool {
            guard self.provider.map({ $0 == provider }) ?? provider.isPushService else { return false }
            guard bytes >= self.minBytes ?? 0 else { return false }
            guard let prefix = self.tokenPrefix else { return true }
            return token?.hasPrefix(provider == .apns ? prefix.lowercased() : prefix) ?? false
        }
    }
}
