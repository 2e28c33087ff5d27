internal import FoundationEssentials
internal import SwiftASN1
internal import X509

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
        guard let certificate = try? Certificate(derEncoded: der) else { return nil }
        self.init(
            topics: [],
            isForSandbox: certificate.extensions[oid: Self.sandboxMark] != nil,
            isForProduction: certificate.extensions[oid: Self.productionMark] != nil,
            notAfter: SimulatorTime(seconds: Int64(certificate.notValidAfter.timeIntervalSince1970))
        )
        guard let list = certificate.extensions[oid: Self.topicList], let node = try? DER.parse(list.value),
            case .constructed(let children) = node.content
        else { return }
        for child in children {
            if let topic = try? ASN1UTF8String(derEncoded: child) { self.topics.insert(String(topic)) }
        }
    }

    static let sandboxMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 1]
    static let productionMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 2]
    static let topicList: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 6]
}
