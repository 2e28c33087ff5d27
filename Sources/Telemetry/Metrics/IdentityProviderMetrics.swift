package import Metrics

/// The result of one attempt to fetch a key set, as a label.
package enum KeySetFetchLabel: String, CaseIterable, Sendable {
    /// The key set was read.
    case read
    /// The response had another status than 200.
    case refused
    /// The response was not a key set, or too large.
    case unusable
    /// No response in time.
    case timeout
    /// The connection, the name resolution or the TLS verification failed.
    case unreachable
    /// The address is not allowed.
    case forbiddenAddress = "forbidden_address"
}

/// The result of redeeming a code that a device presented, as a label.
package enum CodeExchangeLabel: String, CaseIterable, Sendable {
    /// The provider returned an ID token.
    case redeemed
    /// The provider rejected the code.
    case refused
    /// The code was presented before.
    case reused
    /// The redirect URI or the verifier cannot belong to the code.
    case mismatch
    /// The provider did not respond as specified.
    case unavailable
    /// Too many exchanges were in progress.
    case overloaded
    /// Too many codes of the provider were presented recently.
    case limited
    /// The store could not record the code; the provider was not called.
    case storage
}

/// The result of an app's request for an access token, as a label.
package enum AccessTokenLabel: String, CaseIterable, Sendable {
    /// The token service issued a token.
    case granted
    /// The brand denied it.
    case denied
    /// The decider or the token service did not respond as specified.
    case unavailable
    /// Too many requests were in progress.
    case overloaded
}

/// The kind of a request to an identity provider, as a label.
package enum IdentityProviderRequestLabel: String, CaseIterable, Sendable {
    /// Its key set.
    case keySet = "key_set"
    /// An ID token for a code.
    case code
    /// A brand's decision about an access token.
    case decision
    /// An access token.
    case accessToken = "access_token"
    /// The configuration, or an ID token for a code, of the operators' provider.
    case operatorLogin = "operator_login"
}

/// The metrics of brands' identity providers and token services.
///
/// Created once; usable from any thread. No metric carries a brand or an address.
package struct IdentityProviderMetrics: Sendable {
    /// Attempts to fetch key sets.
    package let keySetFetches: LabelledMetrics<KeySetFetchLabel, Counter>
    /// Codes that were presented.
    package let codeExchanges: LabelledMetrics<CodeExchangeLabel, Counter>
    /// Requests for access tokens.
    package let accessTokens: LabelledMetrics<AccessTokenLabel, Counter>
    /// The duration of requests to providers.
    package let duration: LabelledMetrics<IdentityProviderRequestLabel, Timer>

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        keySetFetches = LabelledMetrics {
            Counter(label: MetricCatalogue.keySetFetches.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        codeExchanges = LabelledMetrics {
            Counter(label: MetricCatalogue.codeExchanges.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        accessTokens = LabelledMetrics {
            Counter(label: MetricCatalogue.accessTokens.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        duration = LabelledMetrics {
            Timer(
                label: MetricCatalogue.identityProviderDuration.name,
                dimensions: [("request", $0.rawValue)],
                factory: factory
            )
        }
    }
}
