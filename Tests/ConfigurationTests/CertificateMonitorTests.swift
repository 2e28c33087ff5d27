import GatewayModel
import Logging
import PushProviders
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Gateway

@Suite("Certificate monitor")
struct CertificateMonitorTests {
    private final class Lines: Sendable {
        let all = Mutex<[(level: Logger.Level, metadata: String)]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let text = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            lines.all.withLock { $0.append((event.level, text)) }
        }
    }

    @Test("31, 30, 7, 1 and 0 days ahead: a warning twice, an error twice, each once, and a gauge that moves with them")
    func steps() {
        let clock = TestClock()
        let registry = PrometheusRegistry()
        let lines = Lines()
        let subject = CertificateExpiryWatch.Subject(
            brand: BrandID(trusted: "acme"),
            app: AppID(trusted: "ios"),
            certificate: APNsCertificateFacts(
                fingerprint: "0123456789abcdef",
                commonName: "",
                topics: [],
                environments: [],
                expiresAt: clock.now.adding(seconds: 31 * 86_400)
            )
        )
        let monitor = CertificateMonitor(
            clock: clock,
            metrics: CertificateMetrics(factory: registry),
            logger: Logger(label: "test") { _ in Handler(lines: lines) },
            credentials: { [subject.expiresAt] },
            subjects: { [subject] }
        )
        func gauge() -> [Substring] {
            registry.render().split(separator: "\n").filter {
                $0.hasPrefix("switchboard_apns_certificates{") && $0.hasSuffix(" 1")
            }
        }
        let steps: [(days: Int64, level: Logger.Level?, label: String)] = [
            (0, nil, "over_30_days"), (1, .warning, "within_30_days"), (23, .warning, "within_7_days"),
            (6, .error, "within_1_day"), (1, .error, "expired"), (1, nil, "expired"),
        ]
        for step in steps {
            clock.advance(seconds: step.days * 86_400)
            monitor.check()
            monitor.check()
            monitor.countCredentials()
            let reported = lines.all.withLock { all in
                defer { all = [] }
                return all
            }
            #expect(reported.map(\.level) == (step.level.map { [$0] } ?? []))
            for line in reported {
                #expect(line.metadata.contains("brand.id=acme"))
                #expect(line.metadata.contains("app.id=ios"))
                #expect(line.metadata.contains("certificate.fingerprint=01234567 "))
            }
            #expect(gauge() == ["switchboard_apns_certificates{expiry=\"\(step.label)\"} 1"])
            #expect(registry.render().contains("switchboard_credentials{expiry=\"\(step.label)\"} 1\n"))
        }
    }
}
