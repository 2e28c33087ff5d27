import Foundation
import GatewayModel
import PushProviders
import PushSimulator
import TLS
import TestSupport
import Testing

@Suite("Certificate settings", .timeLimit(.minutes(10)))
struct CertificateSettingsTests {
    @Test("each error names its member, and no value is repeated")
    func faults() async throws {
        try await CertificateFixture.run { fixture in
            let pem = try fixture.pem
            let key = try #require(pem.firstRange(of: "-----BEGIN PRIVATE")).lowerBound
            let other = try fixture.pem()
            let otherKey = try #require(other.firstRange(of: "-----BEGIN PRIVATE")).lowerBound
            let archive = try Data(contentsOf: URL(fileURLWithPath: fixture.credentials.certificateArchiveFile))
            let base64 = archive.base64EncodedString()
            let two = try fixture.pem(["com.example.bank", "com.example.shop"])
            let rows: [(AppSettings, String, String)] = [
                (fixture.app("hush"), "/apns/certificate", "must be PEM"),
                (fixture.app(""), "/apns/certificate", "must be PEM"),
                (fixture.app(archive.prefix(200).base64EncodedString()), "/apns/certificate", "must be PEM"),
                (fixture.app(String(pem[..<key])), "/apns/certificate", "no private key"),
                (fixture.app(String(pem[key...])), "/apns/certificate", "no certificate"),
                (fixture.app(String(pem[..<key]) + String(other[otherKey...])), "/apns/certificate", "does not belong"),
                (fixture.app(base64), "/apns/password", "is required"),
                (fixture.app(base64, password: "hush"), "/apns/password", "does not open"),
                (fixture.app(try fixture.pem { $0.validForSeconds = -60 }), "/apns/certificate", "expired on "),
                (fixture.app(pem, topic: "com.example.shop"), "/apns/topic", "not among"),
                (fixture.app(pem, topic: ""), "/apns/topic", "bundle id"),
                (fixture.app(two), "/apns/topic", "is required"),
                (fixture.app(TestCertificates.leaf + "\n" + TestCertificates.leafKey), "/apns/certificate", "no topic"),
            ]
            for (app, pointer, detail) in rows {
                let error = fixture.fault(app)
                #expect(error?.pointer == pointer)
                #expect(error?.detail.contains(detail) == true, "\(String(describing: error))")
                let text = error.map { "\($0)" } ?? ""
                #expect(!text.contains("hush"))
                #expect(!text.contains("BEGIN"))
            }
        }
    }

    @Test("of several topics one is chosen, and the topics of push types are not other apps")
    func topics() async throws {
        try await CertificateFixture.run { fixture in
            let two = try fixture.pem(["com.example.bank", "com.example.shop"])
            #expect(fixture.fault(fixture.app(two, topic: "com.example.shop")) == nil)
            let universal = try fixture.pem([
                "com.example.bank", "com.example.bank.voip", "com.example.bank.complication",
            ])
            #expect(fixture.fault(fixture.app(universal)) == nil)
            try await fixture.lane(fixture.app(two, topic: "com.example.shop")) { provider, source in
                #expect(await CertificateFixture.send(1, provider, source).map(\.status) == [200])
            }
            #expect(fixture.production.pushes.map { $0.value("apns-topic") } == ["com.example.shop"])
        }
    }

    @Test("a certificate's fields are those that the openssl command reads")
    func facts() async throws {
        try await CertificateFixture.run { fixture in
            let pem = try fixture.pem(["com.example.bank", "com.example.bank.voip"]) { $0.isForSandbox = false }
            let facts = try APNsCertificate(APNsCertificateSettings(certificate: pem)).facts
            #expect(facts.commonName == "Apple Push Services: com.example.bank")
            #expect(facts.topics == ["com.example.bank", "com.example.bank.voip"])
            #expect(facts.environments == [.production])
            let text = String(
                decoding: try OpenSSLCommand.run(
                    [
                        "x509", "-noout", "-fingerprint", "-sha256", "-enddate", "-dateopt", "iso_8601", "-in", "IN",
                        "-out", "OUT",
                    ],
                    input: Array(pem.utf8)
                ),
                as: UTF8.self
            )
            #expect(text.lowercased().replacingOccurrences(of: ":", with: "").contains(facts.fingerprint))
            let end = facts.expiresAt.rfc3339.prefix(19).replacingOccurrences(of: "T", with: " ")
            #expect(text.contains(end))
        }
    }

    @Test("settings are decrypted once: checks and lanes of both environments derive no keys again")
    func openedOnce() async throws {
        try await CertificateFixture.run { fixture in
            let file = try OpenSSLCommand.run(
                ["pkcs12", "-export", "-iter", "5000", "-in", "IN", "-out", "OUT", "-passout", "pass:hush"],
                input: Array(try fixture.pem.utf8)
            )
            let text = Data(file).base64EncodedString()
            let closed = fixture.app(text, password: "hush")
            let derivations = KeyDerivations()
            let opened = try PushProviderFactory.open(app: closed, derivations: derivations)
            // The MAC, the certificate and the key.
            #expect(derivations.rounds == 15_000)
            guard case .certificate(let settings)? = opened.apns?.authentication else {
                Issue.record("the certificate is gone")
                return
            }
            #expect(settings.password == nil)
            let none = KeyDerivations(limit: 0)
            #expect(try PushProviderFactory.open(app: opened, derivations: none) == opened)
            try PushProviderFactory.validate(app: opened, now: fixture.clock.now)
            try await fixture.lane(opened) { provider, source in
                #expect(await CertificateFixture.send(1, provider, source).map(\.status) == [200])
            }
            // Encrypted settings are not decrypted implicitly.
            for use in [
                { try PushProviderFactory.validate(app: closed, now: fixture.clock.now) },
                { _ = try APNsCertificate(APNsCertificateSettings(certificate: text, password: "hush")) },
            ] {
                let error = #expect(throws: PushCredentialError.self, performing: use)
                #expect(error?.detail == "is not decrypted with its password yet")
            }
        }
    }

    @Test("an older certificate names its app only in the subject")
    func subject() throws {
        let pem = try OpenSSLCommand.run(
            [
                "req", "-new", "-x509", "-days", "3", "-config", "/dev/null", "-set_serial", "7", "-subj",
                "/UID=com.example.old/CN=Apple Production IOS Push Services: com.example.old", "-key", "IN", "-out",
                "OUT",
            ],
            input: Array(TestCertificates.rsaKey.utf8)
        )
        let text = String(decoding: pem, as: UTF8.self) + TestCertificates.rsaKey
        let facts = try APNsCertificate(APNsCertificateSettings(certificate: text)).facts
        #expect(facts.topics == ["com.example.old"])
        #expect(facts.environments == [.production, .sandbox])
    }
}
