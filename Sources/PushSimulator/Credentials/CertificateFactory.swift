internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// Makes the certificates with which the simulator stands in for Apple and Google.
enum CertificateFactory {
    /// A certificate and its key, both in PEM.
    struct Issued {
        var certificatePEM: String
        var keyPEM: String
    }

    static let day: Double = 86_400
    private static let lifeDays: Double = 3650

    /// Makes a certificate authority.
    ///
    /// - Returns: The self-signed certificate with its key.
    /// - Throws: What the libraries throw.
    static func authority() throws -> Issued {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName {
            OrganizationName("Switchboard push simulator")
            // Two folders' authorities must not be taken for one another.
            CommonName("Push simulator authority \(RandomID.hexadecimal(4))")
        }
        let certificate = try Self.certificate(
            subject: name,
            issuer: name,
            publicKey: key.publicKey,
            issuerKey: key,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            }
        )
        return Issued(certificatePEM: try certificate.serializeAsPEM().pemString, keyPEM: key.pemRepresentation)
    }

    /// Makes the server's certificate, for `localhost` and the loopback addresses.
    ///
    /// - Parameter authority: Who issues it.
    /// - Returns: The certificate with its key.
    /// - Throws: What the libraries throw.
    static func server(issuedBy authority: Issued) throws -> Issued {
        let issuer = try Certificate(pemEncoded: authority.certificatePEM)
        let issuerKey = try P256.Signing.PrivateKey(pemRepresentation: authority.keyPEM)
        let key = P256.Signing.PrivateKey()
        let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
        let certificate = try Self.certificate(
            subject: try DistinguishedName { CommonName("localhost") },
            issuer: issuer.subject,
            publicKey: key.publicKey,
            issuerKey: issuerKey,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .dnsName("localhost"),
                    .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: loopback6[...])),
                ])
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: Certificate.PublicKey(issuerKey.publicKey)).keyIdentifier
                )
            }
        )
        return Issued(certificatePEM: try certificate.serializeAsPEM().pemString, keyPEM: key.pemRepresentation)
    }

    /// Whether a stored certificate can be used on: it parses, goes with its key, counts for a day more, and, for one that
    /// was issued, bears the issuer's signature.
    ///
    /// - Parameters:
    ///   - issued: The certificate with its key.
    ///   - authority: Who must have issued it; nil for itself.
    /// - Returns: False when a new one must be made.
    static func isUsable(_ issued: Issued, authority: Issued?) -> Bool {
        guard let certificate = try? Certificate(pemEncoded: issued.certificatePEM),
            let key = try? P256.Signing.PrivateKey(pemRepresentation: issued.keyPEM),
            certificate.publicKey == Certificate.PublicKey(key.publicKey),
            certificate.notValidAfter > Date.now.addingTimeInterval(Self.day),
            let issuer = try? Certificate(pemEncoded: (authority ?? issued).certificatePEM)
        else { return false }
        return issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    private static func certificate(
        subject: DistinguishedName,
        issuer: DistinguishedName,
        publicKey: P256.Signing.PublicKey,
        issuerKey: P256.Signing.PrivateKey,
        extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(publicKey),
            // The past lets a client whose clock is a little behind connect.
            notValidBefore: Date.now.addingTimeInterval(-Self.day),
            notValidAfter: Date.now.addingTimeInterval(Self.lifeDays * Self.day),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }
}
