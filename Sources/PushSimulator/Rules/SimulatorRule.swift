/// An order to misbehave: what it applies to, and what happens then.
package struct SimulatorRule: Sendable, Equatable {
    /// What the rule applies to.
    ///
    /// All that is given must hold.
    package var match: Match
    /// What happens.
    package var action: RuleAction

    /// Takes a rule.
    ///
    /// - Parameters:
    ///   - match: What the rule applies to.
    ///   - action: What happens.
    package init(match: Match = Match(), action: RuleAction) {
        self.match = match
        self.action = action
    }

    /// What a rule applies to.
    package struct Match: Sendable, Equatable {
        /// Nil for pushes of both push services; the token endpoint and the identity provider must be named.
        package var provider: SimulatedProvider?
        /// The first characters of the device token; of `token` or `jwks` at the identity provider.
        package var tokenPrefix: String?
        /// Only requests whose body has at least so many bytes, 1 or more; nil for all.
        package var minBytes: Int?
        /// Only every so-manyth request that fits otherwise, 1 or more; nil for each.
        package var everyNth: Int?

        /// Takes the conditions.
        ///
        /// - Parameters:
        ///   - provider: Nil for pushes of both push services.
        ///   - tokenPrefix: The first characters of the device token.
        ///   - minBytes: Only requests whose body has at least so many bytes.
        ///   - everyNth: Only every so-manyth request that fits otherwise.
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

        /// Whether a request fits, `everyNth` left aside.
        func fits(_ provider: SimulatedProvider, token: String?, bytes: Int) -> Bool {
            guard self.provider.map({ $0 == provider }) ?? provider.isPushService else { return false }
            guard bytes >= self.minBytes ?? 0 else { return false }
            guard let prefix = self.tokenPrefix else { return true }
            return token?.hasPrefix(provider == .apns ? prefix.lowercased() : prefix) ?? false
        }
    }
}
