package import GatewayModel

/// Finds which certificates have come nearer to their end, each step of each certificate once.
///
/// A pure value: the caller has the clock, and says what it finds.
package struct CertificateExpiryWatch: Sendable {
    /// A certificate in use.
    package struct Subject: Sendable, Hashable {
        /// The brand.
        package var brand: BrandID
        /// The app.
        package var app: AppID
        /// What tells the certificate from others.
        package var fingerprint: String
        /// The moment after which it no longer counts.
        package var expiresAt: Timestamp

        /// Takes a certificate.
        ///
        /// - Parameters:
        ///   - brand: The brand.
        ///   - app: The app.
        ///   - certificate: What the certificate says of itself.
        package init(brand: BrandID, app: AppID, certificate: APNsCertificateFacts) {
            self.brand = brand
            self.app = app
            fingerprint = certificate.fingerprint
            expiresAt = certificate.expiresAt
        }
    }

    /// A step that a certificate has come to.
    package struct Notice: Sendable, Equatable {
        /// The certificate.
        package var subject: Subject
        /// How near its end is, never ``CertificateExpiry/far``.
        package var expiry: CertificateExpiry
    }

    /// How far each was when it was last looked at; holds no more than the certificates in use.
    private var known: [Subject: CertificateExpiry] = [:]

    /// A watch that has said nothing yet.
    package init() {}

    /// Looks at the certificates in use; those not among them any more are forgotten.
    ///
    /// A clock that is set back does not make a step be told twice.
    ///
    /// - Parameters:
    ///   - subjects: All certificates in use.
    ///   - now: The wall clock.
    /// - Returns: Those that came to a step since the last look, only their nearest; in the order given.
    package mutating func look(_ subjects: [Subject], now: Timestamp) -> [Notice] {
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
