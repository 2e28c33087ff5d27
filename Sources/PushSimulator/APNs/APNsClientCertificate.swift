internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// A certificate that a client signed in with, as APNs reads it.
///
/// Source: Apple, "Establishing a certificate-based connection to APNs" and "Sending notification requests to APNs", which
/// names the extension of the topics.
package struct APNsClientCertificate: Sendable, Equatable {
    /// The topics that it may send to, suffixes included; none makes it no certificate for APNs.
    package var topics: Set<String>
    /// Whether the sandbox takes it.
    package var isForSandbox: Bool
    /// Whether production takes it.
    package var isForProduction: Bool
    /// After this it no longer counts, connected or not.
    package var notAfter: SimulatorTime

    /// Takes what a certificate says.
    ///
    /// - Parameters:
    ///   - topics: The topics that it may send to.
    ///   - isForSandbox: Whether the sandbox takes it.
    ///   - isForProduction: Whether production takes it.
    ///   - notAfter: After this it no longer counts.
    package init(topics: Set<String>, isForSandbox: Bool, isForProduction: Bool, notAfter: SimulatorTime) {
        self.topics = topics
        self.isForSandbox = isForSandbox
        self.isForProduction = isForProduction
        self.notAfter = notAfter
    }

    /// Reads a certificate; nil when it is none.
    ///
    /// - Parameter der: As it came in the handshake.
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
