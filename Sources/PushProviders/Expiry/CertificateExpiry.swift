package import GatewayModel

/// The time to a certificate's expiry in steps; the raw value is a metric label.
package enum CertificateExpiry: String, Sendable, CaseIterable, Comparable {
    /// More than 30 days.
    case far = "over_30_days"
    /// 30 days or less.
    case withinThirtyDays = "within_30_days"
    /// 7 days or less.
    case withinSevenDays = "within_7_days"
    /// A day or less.
    case withinOneDay = "within_1_day"
    /// Expired.
    case expired

    private static let day: Int64 = 86_400

    /// Creates the step for an expiry time.
    package init(of end: Timestamp, now: Timestamp) {
        self =
            if end <= now {
                .expired
            } else if end <= now.adding(seconds: Self.day) {
                .withinOneDay
            } else if end <= now.adding(seconds: 7 * Self.day) {
                .withinSevenDays
            } else if end <= now.adding(seconds: 30 * Self.day) {
                .withinThirtyDays
            } else {
                .far
            }
    }

    /// Orders the steps from far to expired.
    package static func < (lhs: CertificateExpiry, rhs: CertificateExpiry) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .far: 0
        case .withinThirtyDays: 1
        case .withinSevenDays: 2
        case .withinOneDay: 3
        case .expired: 4
        }
    }

    /// Returns the message for operators about a certificate's expiry, a part of a sentence without the certificate's
    /// name.
    package func text(_ end: Timestamp) -> String {
        switch self {
        case .far: "is valid until \(end)"
        case .withinThirtyDays: "expires within 30 days, on \(end): renew it"
        case .withinSevenDays: "expires within 7 days, on \(end): renew it now"
        case .withinOneDay: "expires within a day, on \(end): no push is sent after that; renew it now"
        case .expired: Self.expired(at: end)
        }
    }

    /// Returns the message for an expired certificate.
    static func expired(at end: Timestamp) -> String { "expired on \(end): put a new certificate" }
}
