package import Metrics

/// How many APNs certificates are how near their end, one gauge for each step.
///
/// Made once; any thread may use it.
///
/// - Note: The steps are the providers' words, which this target does not know. Which app's certificate it is, the log says:
///   no metric carries a brand.
package struct CertificateMetrics<Expiry: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let gauges: LabelledMetrics<Expiry, Meter>

    /// Makes the gauges, all at 0.
    ///
    /// - Parameter factory: Where they are kept.
    package init(factory: any MetricsFactory) {
        gauges = LabelledMetrics {
            Meter(label: MetricCatalogue.apnsCertificates.name, dimensions: [("expiry", $0.rawValue)], factory: factory)
        }
        record([])
    }

    /// Says how the certificates stand.
    ///
    /// - Parameter expiries: One for each certificate in use.
    package func record(_ expiries: [Expiry]) {
        var counts: [Expiry: Int64] = [:]
        for expiry in expiries { counts[expiry, default: 0] += 1 }
        for expiry in Expiry.allCases { gauges[expiry].set(counts[expiry] ?? 0) }
    }
}
