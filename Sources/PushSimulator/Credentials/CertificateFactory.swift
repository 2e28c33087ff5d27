internal import Cryptography
internal import FoundationEssentials

/// Creates the certificates with which the simulator replaces Apple and Google.
enum CertificateFactory {
    /// A certificate and its key, both in PEM.
    struct Issued {
        var certificatePEM: String
        var keyPEM: String
    }

    static let day: Double = 86_400
    static let lifeDays: Double = 3650
    /// `cn` of a subject (RFC 4519 section 2.3).
    static let commonName = "2.5.4.3"
    /// `o` of a subject (RFC 4519 section 2.19).
    private static let organization = "2.5.4.10"

    /// Creates a certificate authority.
    ///
    /// - Returns: The self-signed certificate with its key.
    /// - Throws: What the library throws.
    static func authority() throws -> Issued {
        try Self.issue(
            // The authorities of two folders must differ in their names.
            subject: [
                (Self.organization, "Switchboard push simulator"),
                (Self.commonName, "Push simulator authority \(RandomID.hexadecimal(4))"),
            ],
            extensions: [
                CertificateExtension("basicConstraints", "critical,CA:TRUE,pathlen:0"),
                CertificateExtension("keyUsage", "critical,keyCertSign,cRLSign"),
                CertificateExtension("subjectKeyIdentifier", "hash"),
            ],
            issuedBy: nil
        )
    }

    /// Creates the server's certificate, for `localhost` and the loopback addresses.
    ///
    /// - Parameters:
    ///   - authority: The issuer; nil for a self-signed certificate.
    ///   - names: Its names, in the syntax of x509v3_config(5).
    ///   - lifeDays: The validity in days from now; negative for an expired certificate.
    /// - Returns: The certificate with its key.
    /// - Throws: What the library throws.
    static func server(
        issuedBy authority: Issued?,
        names: String = "DNS:localhost,IP:127.0.0.1,IP:::1",
        lifeDays: Double = Self.lifeDays
    ) throws -> Issued {
        try Self.issue(
            subject: [(Self.commonName, "localhost")],
            extensions: [
                CertificateExtension("basicConstraints", "critical,CA:FALSE"),
                CertificateExtension("keyUsage", "critical,digitalSignature"),
                CertificateExtension("extendedKeyUsage", "serverAuth"),
                CertificateExtension("subjectAltName", names),
                CertificateExtension("subjectKeyIdentifier", "hash"),
                CertificateExtension("authorityKeyIdentifier", "keyid:always"),
            ],
            issuedBy: authority,
            lifeSeconds: lifeDays * Self.day
        )
    }

    /// Returns whether a stored certificate can still be used: it parses, matches its key, is valid for another day,
    /// and, unless self-signed, has the issuer's signature.
    ///
    /// - Parameters:
    ///   - issued: The certificate with its key.
    ///   - authority: The required issuer; nil for a self-signed certificate.
    /// - Returns: False when a new one must be created.
    static func isUsable(_ issued: Issued, authority: Issued?) -> Bool {
        guard let certificate = try? Certificate(pem: issued.certificatePEM),
            let key = try? P256.PrivateKey(pemRepresentation: issued.keyPEM),
            certificate.publicKeyDER == key.publicKey.derRepresentation,
            Double(certificate.notAfter) > Date.now.timeIntervalSince1970 + Self.day,
            let issuer = try? Certificate(pem: (authority ?? issued).certificatePEM)
        else { return false }
        return certificate.isSigned(by: issuer)
    }

    /// Creates a certificate with a new key, valid for so many seconds from now; negative for an expired one.
    static func issue(
        subject: [(type: String, text: String)],
        extensions: [CertificateExtension],
        issuedBy authority: Issued?,
        lifeSeconds: Double = lifeDays * day
    ) throws -> Issued {
        let key = P256.PrivateKey()
        let now = Date.now.timeIntervalSince1970
        let certificate = try Certificate.issue(
            subject: subject,
            // A start in the past, for clients whose clock is a little behind.
            validity: Int64(now + min(0, lifeSeconds) - Self.day)...Int64(now + lifeSeconds),
            extensions: extensions,
            publicKey: key.publicKey,
            issuer: try authority.map { try Certificate(pem: $0.certificatePEM) },
            issuerKey: try authority.map { try P256.PrivateKey(pemRepresentation: $0.keyPEM) } ?? key
        )
        return Issued(certificatePEM: certificate.pem, keyPEM: key.pemRepresentation)
    }
}
