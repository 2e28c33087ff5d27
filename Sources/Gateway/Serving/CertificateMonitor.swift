import GatewayModel
import Logging
import PushProviders
import ServiceLifecycle
import Synchronization
import Telemetry

/// Warns of APNs certificates that expire soon: at the start, when apps change, and every hour; then it also counts
/// credentials by time to expiry.
///
/// Any thread may call ``check()``.
final class CertificateMonitor: Service {
    private let subjects: @Sendable () -> [CertificateExpiryWatch.Subject]
    private let credentials: @Sendable () -> [Timestamp]
    private let clock: any GatewayClock
    private let metrics: CertificateMetrics<CertificateExpiry>
    private let logger: Logger
    private let watch = Mutex(CertificateExpiryWatch())

    /// Makes a monitor of certificates, and of credentials by their expiries.
    init(
        clock: any GatewayClock,
        metrics: CertificateMetrics<CertificateExpiry>,
        logger: Logger,
        credentials: @escaping @Sendable () -> [Timestamp],
        subjects: @escaping @Sendable () -> [CertificateExpiryWatch.Subject]
    ) {
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        self.credentials = credentials
        self.subjects = subjects
    }

    /// Checks every hour until the service group shuts down: warnings are due at whole days, and an hour late is
    /// enough.
    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            check()
            countCredentials()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(3600)) }
        }
    }

    /// Counts credentials; not at each change of one: there may be many.
    func countCredentials() {
        let now = clock.now
        metrics.record(credentials: credentials().map { CertificateExpiry(of: $0, now: now) })
    }

    /// Checks once; each warning of each certificate is logged once per process.
    func check() {
        let now = clock.now
        let notices = watch.withLock { watch in
            // Read under the lock, so that an older list never replaces a newer one.
            let subjects = subjects()
            metrics.record(subjects.map { CertificateExpiry(of: $0.expiresAt, now: now) })
            return watch.check(subjects, now: now)
        }
        for notice in notices {
            logger.log(
                level: notice.expiry < .withinOneDay ? .warning : .error,
                "an app's APNs certificate expires soon or has expired; renew it",
                metadata: [
                    LogKey.brand: "\(notice.subject.brand)", LogKey.app: "\(notice.subject.app)",
                    LogKey.certificate: "\(notice.subject.fingerprint.prefix(8))",
                    LogKey.errorText: "\(notice.expiry.text(notice.subject.expiresAt))",
                ]
            )
        }
    }
}
