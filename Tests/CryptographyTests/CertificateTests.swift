import Cryptography
import Testing

@Suite("Certificates are issued, read and verified")
struct CertificateTests {
    private static let commonName = "2.5.4.3"
    private static let topics = "1.2.840.113635.100.6.3.6"

    private struct Authority {
        let key = P256.PrivateKey()
        let certificate: Certificate

        init() throws {
            certificate = try Certificate.issue(
                subject: [(commonName, "Authority é")],
                validity: 1_700_000_000...2_000_000_000,
                extensions: [
                    CertificateExtension("basicConstraints", "critical,CA:TRUE,pathlen:0"),
                    CertificateExtension("keyUsage", "critical,keyCertSign,cRLSign"),
                    CertificateExtension("subjectKeyIdentifier", "hash"),
                ],
                publicKey: key.publicKey,
                issuer: nil,
                issuerKey: key
            )
        }

        func leaf(_ key: P256.PublicKey, _ extensions: [CertificateExtension] = []) throws -> Certificate {
            try Certificate.issue(
                subject: [("0.9.2342.19200300.100.1.1", "com.example"), (commonName, "leaf"), (commonName, "second")],
                // Beyond 2049, where the form of the time changes.
                validity: 0...4_000_000_000,
                extensions: extensions,
                publicKey: key,
                issuer: certificate,
                issuerKey: self.key
            )
        }
    }

    @Test("a certificate has the parts that it was issued with")
    func parts() throws {
        let authority = try Authority()
        let key = P256.PrivateKey().publicKey
        let list = DER.sequence([DER.utf8("a.b"), DER.sequence([DER.utf8("app")]), DER.utf8("a.b.voip")])
        let leaf = try authority.leaf(
            key,
            [
                CertificateExtension("subjectAltName", "DNS:localhost,IP:127.0.0.1,IP:::1"),
                CertificateExtension("authorityKeyIdentifier", "keyid:always"),
                CertificateExtension(type: Self.topics, der: list),
                CertificateExtension(type: "1.2.840.113635.100.6.3.1", der: [5, 0]),
            ]
        )
        #expect(leaf.publicKeyDER == key.derRepresentation && leaf.notBefore == 0 && leaf.notAfter == 4_000_000_000)
        #expect(
            leaf.subjectText(Self.commonName) == "leaf"
                && leaf.subjectText("0.9.2342.19200300.100.1.1") == "com.example"
        )
        #expect(leaf.subjectText("2.5.4.10") == nil && leaf.subjectText("nonsense") == nil)
        #expect(authority.certificate.subjectText(Self.commonName) == "Authority é")
        #expect(leaf.extensionValue(Self.topics).map { DER.texts(in: $0) } == ["a.b", "a.b.voip"])
        #expect(leaf.extensionValue("1.2.840.113635.100.6.3.1") == [5, 0])
        #expect(leaf.extensionValue("1.2.840.113635.100.6.3.2") == nil && leaf.extensionValue("") == nil)
        let names = DER.sequence([
            [0x82, 9] + Array("localhost".utf8), [0x87, 4, 127, 0, 0, 1],
            [0x87, 16] + [UInt8](repeating: 0, count: 15) + [1],
        ])
        #expect(leaf.extensionValue("2.5.29.17") == names)
        // The key identifier of the authority is in both (RFC 5280 section 4.2.1.1).
        let identifier = try #require(authority.certificate.extensionValue("2.5.29.14"))
        #expect(identifier.count == 22 && leaf.extensionValue("2.5.29.35")?.suffix(20) == identifier.suffix(20))
        #expect(try Certificate(pem: leaf.pem) == leaf && Certificate(der: leaf.der) == leaf)
        #expect(try Certificate(pem: leaf.pem + "\n" + authority.certificate.pem) == leaf)
        #expect(try authority.leaf(key).der != authority.leaf(key).der)
    }

    @Test("a signature is that of the issuer's key")
    func signatures() throws {
        let (authority, other) = (try Authority(), try Authority())
        let leaf = try authority.leaf(P256.PrivateKey().publicKey)
        #expect(leaf.isSigned(by: authority.certificate) && authority.certificate.isSigned(by: authority.certificate))
        #expect(!leaf.isSigned(by: other.certificate) && !authority.certificate.isSigned(by: leaf))
        var changed = leaf.der
        changed[changed.count - 1] ^= 1
        #expect((try? Certificate(der: changed))?.isSigned(by: authority.certificate) != true)
        changed = leaf.der
        changed[40] ^= 1
        #expect((try? Certificate(der: changed))?.isSigned(by: authority.certificate) != true)
    }

    @Test("what is not a certificate is rejected")
    func malformed() throws {
        let authority = try Authority()
        let der = authority.certificate.der
        for bad in [[], [0x30], der + [0], Array(der.dropLast()), Array(der.dropFirst())] {
            #expect(throws: CryptographyError.invalidEncoding) { try Certificate(der: bad) }
        }
        for bad in ["", "garbage", TestKeys.pkcs8, TestKeys.pkcs8 + "\n" + authority.certificate.pem] {
            #expect(throws: CryptographyError.invalidEncoding) { try Certificate(pem: bad) }
        }
        let key = P256.PrivateKey().publicKey
        for bad in [CertificateExtension("keyUsage", "nonsense"), CertificateExtension("nonsense", "CA:TRUE")] {
            #expect(throws: CryptographyError.invalidEncoding) { try authority.leaf(key, [bad]) }
        }
    }
}
