package import GatewayModel
package import Metrics

/// The numbers of APNs certificates and of credentials by time to expiry, one gauge for each step, and the expiry of the
/// API's certificate.
///
/// Created once; usable from any thread.
///
/// - Note: The steps are named by the target of the providers, which this target does not import. Log lines name
///   the app of a certificate: no metric carries a brand.
package struct CertificateMetrics<Expiry: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let certificates: LabelledMetrics<Expiry, Meter>
    private let credentials: LabelledMetrics<Expiry, Meter>
    private let server: Meter

    /// Creates the gauges, all at 0.
    package init(factory: any MetricsFactory) {
        func perStep(_ declaration: MetricDeclaration) -> LabelledMetrics<Expiry, Meter> {
            LabelledMetrics {
                Meter(label: declaration.name, dimensions: [("expiry", $0.rawValue)], factory: factory)
            }
        }
        certificates = perStep(MetricCatalogue.apnsCertificates)
        credentials = perStep(MetricCatalogue.credentials)
        server = Meter(label: MetricCatalogue.serverCertificateExpiry.name, factory: factory)
        record([])
        record(credentials: [])
    }

    /// Sets the gauges by the step of each certificate in use.
    package func record(_ expiries: [Expiry]) { Self.count(expiries, in: certificates) }

    /// Sets the gauges by the step of each credential that expires.
    package func record(credentials expiries: [Expiry]) { Self.count(expiries, in: credentials) }

    /// Sets the expiry of the API's certificate; nil without TLS.
    package func record(serverExpiresAt end: Timestamp?) { server.set(end?.seconds ?? 0) }

    private static func count(_ expiries: [Expiry], in gauges: LabelledMetrics<Expiry, Meter>) {
        var counts: [Expiry: Int64] = [:]
        for expiry in expiries { counts[expiry, default: 0] += 1 }
        for expiry in Expiry.allCases { gauges[expiry].set(counts[expiry] ?? 0) }
    }
}
