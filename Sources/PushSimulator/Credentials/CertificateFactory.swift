internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// Creates the certificates with which the simulator replaces Apple and Google.
enum CertificateFactory {
    /// A certificate and its key, both in PEM.
    struct Issued {
        var certificatePEM: String
        var keyPEM: String
    }

    static let day: Double = 86_400
    static let lifeDays: Double = 3650

    /// Creates a certificate authority.
    ///
    /// - Returns: The self-signed certificate with its key.
    /// - Throws: What the libraries throw.
    static func authority() throws -> Issued {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName {
            OrganizationName("Switchboard push simulator")
            // The authorities of two folders must differ in their names.
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

    /// Creates the server's certificate, for `localhost` and the loopback addresses.
    ///
    /// - Parameters:
    ///   - authority: The issuer; nil for a self-signed certificate.
    ///   - names: Its DNS names.
    ///   - lifeDays: The validity in days from now; negative for an expired certificate.
    /// - Returns: The certificate with its key.
    /// - Throws: What the libraries throw.
    static func server(
        issuedBy authority: Issued?,
        names: [GeneralName] = Self.loopback,
        lifeDays: Double = Self.lifeDays
    ) throws -> Issued {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName("localhost") }
        let issuer = try authority.map { try Certificate(pemEncoded: $0.certificatePEM).subject } ?? subject
        let issuerKey = try authority.map { try P256.Signing.PrivateKey(pemRepresentation: $0.keyPEM) } ?? key
        let certificate = try Self.certificate(
            subject: subject,
            issuer: issuer,
            publicKey: key.publicKey,
            issuerKey: issuerKey,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names)
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: Certificate.PublicKey(issuerKey.publicKey)).keyIdentifier
                )
            },
            lifeDays: lifeDays
        )
        return Issued(certificatePEM: try certificate.serializeAsPEM().pemString, keyPEM: key.pemRepresentation)
    }

    /// `localhost` and the loopback addresses.
    static let loopback: [GeneralName] = [
        .dnsName("localhost"),
        .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
        .ipAddress(ASN1OctetString(contentBytes: ([UInt8](repeating: 0, count: 15) + [1])[...])),
    ]

    /// Returns whether a stored certificate can still be used: it parses, matches its key, is valid for another day,
    /// and, unless self-signed, has the issuer's signature.
    ///
    /// - Parameters:
    ///   - issued: The certificate with its key.
    ///   - authority: The required issuer; nil for a self-signed certificate.
    /// - Returns: False when a new one must be created.
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
        extensions: Certificate.Extensions,
        lifeDays: Double = Self.lifeDays
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(publicKey),
            // A start in the past, for clients whose clock is a little behind.
            notValidBefore: Date.now.addingTimeInterval((min(0, lifeDays) - 1) * Self.day),
            notValidAfter: Date.now.addingTimeInterval(lifeDays * Self.day),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }
}
