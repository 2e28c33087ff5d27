internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

extension CertificateFactory {
    /// Creates a client certificate for APNs.
    ///
    /// - Parameters:
    ///   - specification: The content of the certificate.
    ///   - authority: The issuer.
    /// - Returns: The certificate with its key.
    /// - Throws: The errors of the libraries.
    static func sender(_ specification: APNsCertificateSpecification, issuedBy authority: Issued) throws -> Issued {
        let issuer = try Certificate(pemEncoded: authority.certificatePEM)
        let issuerKey = try P256.Signing.PrivateKey(pemRepresentation: authority.keyPEM)
        let key = P256.Signing.PrivateKey()
        let name = specification.topics.first ?? "nothing"
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.clientAuth])
        }
        if specification.isForSandbox { try extensions.append(Self.mark(APNsClientCertificate.sandboxMark)) }
        if specification.isForProduction { try extensions.append(Self.mark(APNsClientCertificate.productionMark)) }
        if !specification.topics.isEmpty {
            try extensions.append(
                Certificate.Extension(
                    oid: APNsClientCertificate.topicList,
                    critical: false,
                    value: Self.list(specification.topics)[...]
                )
            )
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date.now.addingTimeInterval(min(0, Double(specification.validForSeconds)) - Self.day),
            notValidAfter: Date.now.addingTimeInterval(Double(specification.validForSeconds)),
            issuer: issuer.subject,
            subject: try DistinguishedName([
                RelativeDistinguishedName.Attribute(type: Self.userID, utf8String: name),
                RelativeDistinguishedName.Attribute(
                    type: .RDNAttributeType.commonName,
                    utf8String: "Apple Push Services: \(name)"
                ),
            ]),
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
        return Issued(certificatePEM: try certificate.serializeAsPEM().pemString, keyPEM: key.pemRepresentation)
    }

    /// `UID` (RFC 4519 section 2.39).
    private static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]

    /// Makes a flag extension, whose value is NULL.
    private static func mark(_ oid: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: oid, critical: false, value: [5, 0])
    }

    /// Encodes Apple's list: each topic followed by a sequence of its app types.
    private static func list(_ topics: [String]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { list in
            for topic in topics {
                try list.serialize(ASN1UTF8String(topic))
                try list.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1UTF8String("app")) }
            }
        }
        return serializer.serializedBytes
    }
}
