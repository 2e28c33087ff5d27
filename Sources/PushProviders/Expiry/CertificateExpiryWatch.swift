package import GatewayModel

/// Detects certificates that reached the next step before expiry, each step of each certificate once.
///
/// A pure value: the caller has the clock, and says what it finds.
package struct CertificateExpiryWatch: Sendable {
    /// A certificate in use.
    package struct Subject: Sendable, Hashable {
        /// The brand.
        package var brand: BrandID
        /// The app.
        package var app: AppID
        /// The fingerprint of the certificate.
        package var fingerprint: String
        /// The time of expiry.
        package var expiresAt: Timestamp

        /// Creates a subject.
        package init(brand: BrandID, app: AppID, certificate: APNsCertificateFacts) {
            self.brand = brand
            self.app = app
            fingerprint = certificate.fingerprint
            expiresAt = certificate.expiresAt
        }
    }

    /// A new expiry step of a certificate.
    package struct Notice: Sendable, Equatable {
        /// The certificate.
        package var subject: Subject
        /// The step, never ``CertificateExpiry/far``.
        package var expiry: CertificateExpiry
    }

    /// The last known step of each certificate in use.
    private var known: [Subject: CertificateExpiry] = [:]

    /// Creates a watch without known certificates.
    package init() {}

    /// Checks the certificates in use and returns those with a new step since the last check, only the latest step of
    /// each, in the given order; removes those that are no longer among them.
    ///
    /// A clock that is set back does not report a step twice.
    package mutating func check(_ subjects: [Subject], now: Timestamp) -> [Notice] {
        var next: [Subject: CertificateExpiry] = [:]
        var notices: [Notice] = []
        for subject in subjects {
            let before = known[subject] ?? .far
            let expiry = CertificateExpiry(of: subject.expiresAt, now: now)
            next[subject] = max(before, expiry)
            if expiry > before { notices.append(Notice(subject: subject, expiry: expiry)) }
        }
        known = next
        return notices
    }
}
