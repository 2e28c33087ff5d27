internal import Cryptography

/// A client certificate, as APNs reads it.
///
/// Source: Apple, "Establishing a certificate-based connection to APNs" and "Sending notification requests to APNs",
/// which names the extension of the topics.
package struct APNsClientCertificate: Sendable, Equatable {
    /// The topics that it may send to, suffixes included; without topics it is not a certificate for APNs.
    package var topics: Set<String>
    /// Whether the sandbox accepts it.
    package var isForSandbox: Bool
    /// Whether production accepts it.
    package var isForProduction: Bool
    /// The time of expiry, also for open connections.
    package var notAfter: SimulatorTime

    /// Creates a certificate.
    ///
    /// - Parameters:
    ///   - topics: The topics that it may send to.
    ///   - isForSandbox: Whether the sandbox accepts it.
    ///   - isForProduction: Whether production accepts it.
    ///   - notAfter: The time of expiry.
    package init(topics: Set<String>, isForSandbox: Bool, isForProduction: Bool, notAfter: SimulatorTime) {
        self.topics = topics
        self.isForSandbox = isForSandbox
        self.isForProduction = isForProduction
        self.notAfter = notAfter
    }

    /// Parses a certificate; nil when it is not valid DER.
    ///
    /// - Parameter der: The certificate from the TLS handshake.
    package init?(der: [UInt8]) {
        guard let certificate = try? Certificate(der: der) else { return nil }
        self.init(
            topics: Set(certificate.extensionValue(Self.topicList).map { DER.texts(in: $0) } ?? []),
            isForSandbox: certificate.extensionValue(Self.sandboxMark) != nil,
            isForProduction: certificate.extensionValue(Self.productionMark) != nil,
            notAfter: SimulatorTime(seconds: certificate.notAfter)
        )
    }

    static let sandboxMark = "1.2.840.113635.100.6.3.1"
    static let productionMark = "1.2.840.113635.100.6.3.2"
    static let topicList = "1.2.840.113635.100.6.3.6"
}
