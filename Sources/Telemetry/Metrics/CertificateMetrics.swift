package import Metrics

/// The number of APNs certificates by time to expiry, one gauge for each step.
///
/// Created once; usable from any thread.
///
/// - Note: The steps are named by the target of the providers, which this target does not import. Log lines name
///   the app of a certificate: no metric carries a brand.
package struct CertificateMetrics<Expiry: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let gauges: LabelledMetrics<Expiry, Meter>

    /// Creates the gauges, all at 0.
    package init(factory: any MetricsFactory) {
        gauges = LabelledMetrics {
            Meter(label: MetricCatalogue.apnsCertificates.name, dimensions: [("expiry", $0.rawValue)], factory: factory)
        }
        record([])
    }

    /// Sets the gauges by the step of each certificate in use.
    package func record(_ expiries: [Expiry]) {
        var counts: [Expiry: Int64] = [:]
        for expiry in expiries { counts[expiry, default: 0] += 1 }
        for expiry in Expiry.allCases { gauges[expiry].set(counts[expiry] ?? 0) }
    }
}
