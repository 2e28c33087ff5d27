import Crypto
import FoundationEssentials
import GatewayModel
import PushPayloads
import SwiftASN1
import TextFormats
import X509

extension APNsCertificateFacts {
    /// Apple's extensions in certificates (Apple, "Worldwide Developer Relations Certification Practice Statement").
    private enum Mark {
        static let sandbox: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 1]
        static let production: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 2]
        /// The extension that lists topics (ProviderFacts page, A4).
        static let topics: [ASN1ObjectIdentifier] = [
            [1, 2, 840, 113635, 100, 6, 3, 6], [1, 2, 840, 113635, 100, 6, 3, 4],
        ]
    }

    /// `UID` of a subject (RFC 4519 section 2.39).
    private static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]

    /// Reads the first certificate of a chain; nil when it cannot be parsed.
    init?(chainPEM: [UInt8]) {
        let text = String(decoding: chainPEM, as: UTF8.self)
        guard let der = try? PEMDocument.parseMultiple(pemString: text).first?.derBytes,
            let certificate = try? Certificate(derEncoded: der)
        else { return nil }
        let listed = Mark.topics.flatMap { mark in
            certificate.extensions[oid: mark].map { Self.texts(in: $0.value) } ?? []
        }
        // An older certificate is for one app, named in its subject.
        let subject = Self.attribute(Self.userID, of: certificate.subject).map { [$0] } ?? []
        let marks: [(PushEnvironment, ASN1ObjectIdentifier)] = [
            (.sandbox, Mark.sandbox), (.production, Mark.production),
        ]
        let environments = marks.filter { certificate.extensions[oid: $0.1] != nil }.map(\.0)
        self.init(
            fingerprint: Hexadecimal.text(SHA256.hash(data: der)),
            commonName: Self.attribute(.RDNAttributeType.commonName, of: certificate.subject) ?? "",
            topics: listed.isEmpty ? subject : Self.unique(listed),
            environments: environments.isEmpty ? Set(PushType.apns.transport.environments) : Set(environments),
            expiresAt: Timestamp(milliseconds: Int64(certificate.notValidAfter.timeIntervalSince1970 * 1000))
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

    private static func attribute(_ type: ASN1ObjectIdentifier, of name: DistinguishedName) -> String? {
        for part in name {
            for attribute in part where attribute.type == type { return String(attribute.value) }
        }
        return nil
    }

    /// Returns the UTF-8 texts of an extension's outer sequence, or its single text; the sequences between them, with
    /// the types of each topic, are skipped.
    private static func texts(in value: ArraySlice<UInt8>) -> [String] {
        guard let node = try? DER.parse(value) else { return [] }
        let nodes: [ASN1Node]
        switch node.content {
        case .primitive: nodes = [node]
        case .constructed(let children): nodes = Array(children)
        }
        return nodes.compactMap { try? String(ASN1UTF8String(derEncoded: $0)) }.filter { !$0.isEmpty }
    }

    private static func unique(_ texts: [String]) -> [String] {
        var known: Set<String> = []
        return texts.filter { known.insert($0).inserted }
    }
}
