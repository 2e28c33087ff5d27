import GatewayModel
import Logging
import PushProviders
import ServiceLifecycle
import Synchronization
import Telemetry

/// Warns of APNs certificates that come near their end: at the start, when apps change, and every hour.
///
/// Any thread may ask it to look.
final class CertificateMonitor: Service {
    private let subjects: @Sendable () -> [CertificateExpiryWatch.Subject]
    private let clock: any GatewayClock
    private let metrics: CertificateMetrics<CertificateExpiry>
    private let logger: Logger
    private let watch = Mutex(CertificateExpiryWatch())

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - clock: The machine's wall clock, which certificates go by.
    ///   - metrics: Shows how many are how near.
    ///   - logger: For what operators should know.
    ///   - subjects: The certificates in use.
    init(
        clock: any GatewayClock,
        metrics: CertificateMetrics<CertificateExpiry>,
        logger: Logger,
        subjects: @escaping @Sendable () -> [CertificateExpiryWatch.Subject]
    ) {
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        self.subjects = subjects
    }

    /// Looks every hour until the service group shuts down: the steps are whole days, and one may be late by as much.
    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            look()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(3600)) }
        }
    }

    /// Looks once; each step of each certificate is logged once in the life of the process.
    func look() {
        let now = clock.now
        let notices = watch.withLock { watch in
            // Read under the lock, so that an older list never follows a newer one.
            let subjects = subjects()
            metrics.record(subjects.map { CertificateExpiry(of: $0.expiresAt, now: now) })
            return watch.look(subjects, now: now)
        }
        for notice in notices {
            logger.log(
                level: notice.expiry < .withinOneDay ? .warning : .error,
                "an app's APNs certificate has come near its end",
                metadata: [
                    LogKey.brand: "\(notice.subject.brand)", LogKey.app: "\(notice.subject.app)",
                    LogKey.certificate: "\(notice.subject.fingerprint.prefix(8))",
                    LogKey.errorText: "\(notice.expiry.text(notice.subject.expiresAt))",
                ]
            )
        }
    }
}
