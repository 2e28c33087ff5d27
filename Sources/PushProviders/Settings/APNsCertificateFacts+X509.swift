import Cryptography
import GatewayModel
import PushPayloads
import TextFormats

extension APNsCertificateFacts {
    /// Apple's extensions in certificates (Apple, "Worldwide Developer Relations Certification Practice Statement").
    private enum Mark {
        static let sandbox = "1.2.840.113635.100.6.3.1"
        static let production = "1.2.840.113635.100.6.3.2"
        /// The extension that lists topics (ProviderFacts page, A4).
        static let topics = ["1.2.840.113635.100.6.3.6", "1.2.840.113635.100.6.3.4"]
    }

    /// `UID` and `cn` of a subject (RFC 4519 sections 2.39 and 2.3).
    private static let (userID, commonName) = ("0.9.2342.19200300.100.1.1", "2.5.4.3")

    /// Reads the first certificate of a chain; nil when it cannot be parsed.
    init?(chainPEM: [UInt8]) {
        guard let certificate = try? Certificate(pem: String(decoding: chainPEM, as: UTF8.self)) else { return nil }
        // The sequences between the topics, with the types of each, are skipped.
        let listed = Mark.topics.flatMap { mark in
            certificate.extensionValue(mark).map { DER.texts(in: $0).filter { !$0.isEmpty } } ?? []
        }
        // An older certificate is for one app, named in its subject.
        let subject = certificate.subjectText(Self.userID).map { [$0] } ?? []
        let marks: [(PushEnvironment, String)] = [(.sandbox, Mark.sandbox), (.production, Mark.production)]
        let environments = marks.filter { certificate.extensionValue($0.1) != nil }.map(\.0)
        self.init(
            fingerprint: Hexadecimal.text(SHA256.hash(data: certificate.der)),
            commonName: certificate.subjectText(Self.commonName) ?? "",
            topics: listed.isEmpty ? subject : Self.unique(listed),
            environments: environments.isEmpty ? Set(PushType.apns.transport.environments) : Set(environments),
            expiresAt: Timestamp(milliseconds: certificate.notAfter * 1000)
        )
    }

    /// The only bundle id, ignoring topics that are another topic with a suffix; nil when there are several.
    var onlyBundleID: String? {
        let suffixes = APNsPushTypeRow.table.compactMap(\.topicSuffix).filter { !$0.isEmpty }
        let bundleIDs = topics.filter { topic in
            !suffixes.contains { topic.hasSuffix($0) && topics.contains(String(topic.dropLast($0.count))) }
        }
        return bundleIDs.count == 1 ? bundleIDs.first : nil
    }

    private static func unique(_ texts: [String]) -> [String] {
        var known: Set<String> = []
        return texts.filter { known.insert($0).inserted }
    }
}
