import COpenSSL
import Testing
import TextFormats

@testable import Cryptography

@Suite("PEM is one block between its lines, and DER is canonical")
struct PEMTests {
    @Test("text around a block is ignored, and lines may have any length")
    func lax() throws {
        let key = try P256.PrivateKey(pemRepresentation: TestKeys.pkcs8).rawRepresentation
        let lines = TestKeys.pkcs8.split(separator: "\n").map(String.init)
        let base64 = lines.dropFirst().dropLast().joined()
        let good = [
            "Bag Attributes\n  localKeyID: 01\n" + TestKeys.pkcs8 + "\nafter it\n", lines.joined(separator: "\r\n"),
            lines.joined(separator: " \t\n"), lines.joined(separator: "\n\n"), "\u{FEFF}\n" + TestKeys.pkcs8,
            [lines[0], base64, lines[lines.count - 1]].joined(separator: "\n"),
        ]
        for pem in good {
            #expect(try P256.PrivateKey(pemRepresentation: pem).rawRepresentation == key, "\(pem)")
        }
    }

    @Test("a block that is not well-formed is rejected")
    func malformed() {
        let lines = TestKeys.pkcs8.split(separator: "\n").map(String.init)
        let (first, last) = (lines[0], lines[lines.count - 1])
        let body = lines.dropFirst().dropLast().joined(separator: "\n")
        let bad = [
            first + "\n" + body, body + "\n" + last, body, first + "\n" + last, first + body + last,
            first + "\n" + body + "=\n" + last, first + "\n!" + body.dropFirst() + "\n" + last,
            first + "\n" + body.dropLast() + "\n" + last, first + "\nA: b\n\n" + body + "\n" + last,
            first + "\n" + body + "\n-----END EC PRIVATE KEY-----", first + "\n" + first + "\n" + body + "\n" + last,
            first + "\n" + body + "\n-----BEGIN X-----\n" + last, first + "\n " + body + "\n" + last,
            "-----BEGIN PRIVATE KEY-----\n\u{0}\n-----END PRIVATE KEY-----", "-----BEGIN -----\n-----END -----",
            "-----BEGIN  PRIVATE KEY-----\n" + body + "\n-----END  PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----",
            TestKeys.pkcs8 + "\n" + first,
        ]
        for pem in bad {
            #expect(throws: CryptographyError.self, "\(pem)") { try P256.PrivateKey(pemRepresentation: pem) }
        }
    }

    @Test("labels and lines are bytes: combining marks belong to no line's end, and a label has at most 256 bytes")
    func bytes() throws {
        let pem = P256.PrivateKey().pemRepresentation
        let marks = String(repeating: "\u{301}", count: 40)
        let around = [marks, pem, marks].joined(separator: "\n")
        #expect(throws: Never.self) { try P256.PrivateKey(pemRepresentation: around) }
        for (old, new) in [
            ("PRIVATE KEY-----\n", "PRIVATE KEY-----\(marks)\n"), ("PRIVATE KEY", "PRIVATE KEY\u{301}"),
            ("PRIVATE KEY", String(repeating: "K", count: 257)), ("\n-----END", "\(marks)\n-----END"),
        ] {
            let text = pem.replacing(old, with: new)
            #expect(text.utf8.count > pem.utf8.count)
            #expect(throws: CryptographyError.self) { try P256.PrivateKey(pemRepresentation: text) }
        }
    }

    @Test("an encrypted key under the name of another is rejected, without a derivation from a password")
    func encrypted() throws {
        let der = try PEM.blocks(of: TestKeys.encrypted)[0].der
        for label: BoundedName in ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"] {
            let text = PEM(label: label, der: der).text
            #expect(throws: CryptographyError.invalidKey) { try P256.PrivateKey(pemRepresentation: text) }
            #expect(throws: CryptographyError.invalidKey) { try RSA.PrivateKey(pemRepresentation: text) }
        }
    }

    @Test("no error stays in OpenSSL's queue, and none that was there before matters")
    func errorQueue() throws {
        let key = P256.PrivateKey()
        let signature = try key.signature(for: [1])
        let rsa = try RSA.PublicKey(pemRepresentation: TestKeys.rsaPublic)
        let secret = [UInt8](repeating: 1, count: 16)
        let failures: [() -> Bool] = [
            { (try? P256.PublicKey(rawRepresentation: [UInt8](repeating: 1, count: 64))) == nil },
            { (try? RSA.PrivateKey(pemRepresentation: TestKeys.pss)) == nil },
            { !key.publicKey.isValidSignature(signature, for: [2]) },
            {
                !rsa.isValidSignature([UInt8](repeating: 1, count: 256), for: [1], padding: .pss)
            },
            { (try? AES.CBC.decrypt([UInt8](repeating: 1, count: 16), using: secret, vector: secret)) == nil },
            { (try? Certificate(der: [0x30, 1])) == nil },
        ]
        for fails in failures {
            _ = EVP_MD_fetch(nil, "nonsense", nil)
            #expect(fails() && ERR_peek_error() == 0)
            _ = EVP_MD_fetch(nil, "nonsense", nil)
            #expect(key.publicKey.isValidSignature(signature, for: [1]) && ERR_peek_error() == 0)
        }
    }

    @Test("changed keys are rejected or read, and crash nothing")
    func mutations() throws {
        var generator = SystemRandomNumberGenerator()
        let keys = try [TestKeys.pkcs8, TestKeys.sec1, TestKeys.rsaPublic, TestKeys.p384].map {
            try PEM.blocks(of: $0)[0].der
        }
        for _ in 0..<400 {
            for der in keys {
                var changed = der
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(
                        in: 0...255,
                        using: &generator
                    )
                }
                if Bool.random(using: &generator) { changed.removeLast(.random(in: 1...20, using: &generator)) }
                _ = try? P256.PrivateKey(derRepresentation: changed)
                _ = try? P256.PublicKey(derRepresentation: changed)
                _ = try? RSA.PublicKey(pemRepresentation: PEM(label: "PUBLIC KEY", der: changed).text)
                _ = try? Certificate(der: changed)
                _ = DER.texts(in: changed)
            }
        }
    }

    @Test("texts are read from a sequence, and from nothing that is not DER")
    func texts() {
        let long = String(repeating: "a", count: 300)
        let value = DER.sequence([DER.utf8("one"), DER.sequence([DER.utf8("no")]), DER.utf8(long), DER.integer([1])])
        #expect(DER.texts(in: value) == ["one", long])
        #expect(DER.texts(in: DER.utf8("one")) == ["one"] && DER.texts(in: DER.sequence([])) == [])
        let middle = DER.utf8(String(repeating: "b", count: 200))
        #expect(middle.prefix(3) == [0x0C, 0x81, 200] && DER.texts(in: middle).count == 1)
        let bad: [[UInt8]] = [
            [], [0x30], value + [0], Array(value.dropLast()), [0x30, 0x80, 0, 0], [0x30, 3, 0x0C, 2, 0x61],
            [0x0C, 0x81, 1, 0x61], [0x0C, 0x82, 0, 1, 0x61], [0x0C, 0x83, 0, 0, 1, 0x61], [0x0C, 0xFF],
            [0x0C, 1, 0xFF],
            [0x13, 1, 0x61],
        ]
        for bytes in bad { #expect(DER.texts(in: bytes) == [], "\(bytes)") }
        #expect(
            DER.integer([]) == [2, 1, 0] && DER.integer([0, 0x80]) == [2, 2, 0, 0x80]
                && DER.integer([0, 5]) == [2, 1, 5]
        )
    }
}
