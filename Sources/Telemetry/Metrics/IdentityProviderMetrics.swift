package import Metrics

/// How a try to read a set of keys ended, as a label.
package enum KeySetFetchLabel: String, CaseIterable, Sendable {
    /// It was read.
    case read
    /// The answer had another status than 200.
    case refused
    /// The answer was no set of keys, or too large.
    case unusable
    /// No answer in time.
    case timeout
    /// No connection, no address, or no trust.
    case unreachable
    /// The address is one that must not be reached.
    case forbiddenAddress = "forbidden_address"
}

/// What became of a code that a device presented, as a label.
package enum CodeExchangeLabel: String, CaseIterable, Sendable {
    /// The provider gave an id token.
    case redeemed
    /// The provider did not take the code.
    case refused
    /// It was presented before.
    case reused
    /// The redirect URI or the verifier cannot be the code's.
    case mismatch
    /// The provider did not answer as it should.
    case unavailable
    /// Too many exchanges were under way.
    case overloaded
    /// Too many codes of the provider were presented lately.
    case limited
    /// The store could not note it; nothing was asked.
    case storage
}

/// What an identity provider was asked for, as a label.
package enum IdentityProviderRequestLabel: String, CaseIterable, Sendable {
    /// Its keys.
    case keySet = "key_set"
    /// An id token for a code.
    case code
}

/// What is counted of brands' identity providers.
///
/// Made once; any thread may use it. No metric carries a brand or an address.
package struct IdentityProviderMetrics: Sendable {
    /// Tries to read sets of keys.
    package let keySetFetches: LabelledMetrics<KeySetFetchLabel, Counter>
    /// Codes that were presented.
    package let codeExchanges: LabelledMetrics<CodeExchangeLabel, Counter>
    /// How long providers took.
    package let duration: LabelledMetrics<IdentityProviderRequestLabel, Timer>

    /// Makes the metric objects.
    ///
    /// - Parameter factory: Where they are kept.
    package init(factory: any MetricsFactory) {
        keySetFetches = LabelledMetrics {
            Counter(label: MetricCatalogue.keySetFetches.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        codeExchanges = LabelledMetrics {
            Counter(label: MetricCatalogue.codeExchanges.name, dimensions: [("result", $0.rawValue)], factory: factory)
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
