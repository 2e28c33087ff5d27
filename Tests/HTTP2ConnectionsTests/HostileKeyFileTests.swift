import Foundation
import TestSupport
import Testing

@testable import TLS

/// Files that would occupy a processor for hours.
///
/// The derivations are counted; an expensive one without counting would never finish.
@Suite("Hostile key files", .timeLimit(.minutes(10)))
struct HostileKeyFileTests {
    private let identity: TLSIdentity
    private let cheap: [UInt8]
    /// Rounds for an hour of a processor.
    private let costly = TestDER.encryptedKey(rounds: .max)

    private static let password = "secret"
    private static let header = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,000102030405060708090A0B0C0D0E0F\n\n"

    init() throws {
        identity = try TestAuthority().issue(subject: "com.example.app")
        cheap = try OpenSSLCommand.run(
            ["pkcs8", "-topk8", "-iter", "2048", "-passout", "pass:secret", "-in", "IN", "-out", "OUT"],
            input: identity.privateKeyPEM
        )
    }

    private func failure(pem: [UInt8], _ derivations: KeyDerivations) -> TLSIdentityFailure? {
        do {
            _ = try TLSIdentity(pem: pem, password: Self.password, derivations: derivations)
            return nil
        } catch { return error }
    }

    private func failure(pkcs12: [UInt8], _ derivations: KeyDerivations) -> TLSIdentityFailure? {
        do {
            _ = try TLSIdentity(pkcs12: pkcs12, password: Self.password, derivations: derivations)
            return nil
        } catch { return error }
    }

    // MARK: PEM

    @Test("one encrypted key is derived once, with its own number of rounds")
    func once() throws {
        let derivations = KeyDerivations()
        let pem = identity.certificateChainPEM + cheap
        let read = try TLSIdentity(pem: pem, password: Self.password, derivations: derivations)
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(derivations.rounds == 2048)
    }

    @Test("with no derivation allowed only an unencrypted file opens")
    func opened() throws {
        let none = KeyDerivations(limit: 0)
        let open = identity.certificateChainPEM + identity.privateKeyPEM
        _ = try TLSIdentity(pem: open, password: nil, derivations: none)
        #expect(failure(pem: identity.certificateChainPEM + cheap, none) == .tooManyDerivations)
        #expect(none.rounds == 0)
    }

    @Test("a key with more rounds than the limit is rejected before derivation")
    func costlyKey() {
        let derivations = KeyDerivations()
        let pem = identity.certificateChainPEM + TestDER.pem("ENCRYPTED PRIVATE KEY", costly)
        #expect(failure(pem: pem, derivations) == .tooManyDerivations)
        #expect(derivations.rounds == 0)
    }

    @Test("a second private key is rejected, whichever of the two is expensive, and nothing is derived")
    func secondKey() {
        let block = TestDER.pem("ENCRYPTED PRIVATE KEY", costly)
        for keys in [cheap + block, block + cheap, identity.privateKeyPEM + block, block + identity.privateKeyPEM] {
            let derivations = KeyDerivations()
            #expect(failure(pem: identity.certificateChainPEM + keys, derivations) == .severalPrivateKeys)
            #expect(derivations.rounds == 0)
        }
    }

    @Test("an empty or damaged block before an expensive key is rejected, and nothing is derived")
    func emptyBlock() {
        let block = TestDER.pem("ENCRYPTED PRIVATE KEY", costly)
        let damaged = Array("-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----\n".utf8)
        for first in [
            TestDER.pem("ENCRYPTED PRIVATE KEY", []), TestDER.pem("PRIVATE KEY", []), TestDER.pem("X", []), damaged,
        ] {
            let derivations = KeyDerivations()
            guard case .unreadable? = failure(pem: identity.certificateChainPEM + first + block, derivations) else {
                Issue.record("a damaged block was passed over")
                continue
            }
            #expect(derivations.rounds == 0)
        }
    }

    @Test("headers of the traditional form are rejected with PKCS#8, for a cheap and an expensive key")
    func headersOfPKCS8() throws {
        let encoded = String(decoding: cheap, as: UTF8.self).split(separator: "\n").dropFirst().dropLast().joined()
        let content = [UInt8](try #require(Data(base64Encoded: encoded)))
        for block in [
            TestDER.pem("ENCRYPTED PRIVATE KEY", header: Self.header, content),
            TestDER.pem("ENCRYPTED PRIVATE KEY", header: Self.header, costly),
            TestDER.pem("PRIVATE KEY", header: Self.header, costly),
        ] {
            let derivations = KeyDerivations()
            guard case .unreadable? = failure(pem: identity.certificateChainPEM + block, derivations) else {
                Issue.record("headers were taken")
                continue
            }
            #expect(derivations.rounds == 0)
        }
    }

    @Test(
        "an expensive key with the label of another form is not derived",
        arguments: ["PRIVATE", "RSA PRIVATE", "EC PRIVATE"]
    )
    func disguised(name: String) {
        let derivations = KeyDerivations()
        let pem = identity.certificateChainPEM + TestDER.pem(name + " KEY", costly)
        guard case .unreadable? = failure(pem: pem, derivations) else {
            Issue.record("a key was taken for one of another form")
            return
        }
        #expect(derivations.rounds == 0)
    }

    @Test("an expensive key inside a traditionally encrypted key is not derived")
    func nested() throws {
        let sealed = try OpenSSLCommand.run(
            [
                "enc", "-aes-128-cbc", "-md", "md5", "-pass", "pass:secret", "-S", "0001020304050607", "-iv",
                "000102030405060708090A0B0C0D0E0F", "-in", "IN", "-out", "OUT",
            ],
            input: costly
        )
        let derivations = KeyDerivations()
        let pem = identity.certificateChainPEM + TestDER.pem("EC PRIVATE KEY", header: Self.header, sealed)
        #expect(failure(pem: pem, derivations) == .wrongPassword)
        // The minimum charge of a part: the traditional form has one round.
        #expect(derivations.rounds == 1000)
    }

    @Test("a traditionally encrypted key opens only with its password", arguments: ["aes128", "des3"])
    func traditional(cipher: String) throws {
        let key = try OpenSSLCommand.run(
            ["ec", "-\(cipher)", "-passout", "pass:secret", "-in", "IN", "-out", "OUT"],
            input: identity.privateKeyPEM
        )
        #expect(key.contains("Proc-Type".utf8))
        let pem = identity.certificateChainPEM + key
        let read = try TLSIdentity(pem: pem, password: Self.password)
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(throws: TLSIdentityFailure.wrongPassword) { try TLSIdentity(pem: pem, password: "wrong") }
        #expect(throws: TLSIdentityFailure.wrongPassword) { try TLSIdentity(pem: pem, password: nil) }
    }

    @Test("a derivation without a number of rounds is rejected")
    func scrypt() throws {
        let key = try OpenSSLCommand.run(
            ["pkcs8", "-topk8", "-scrypt", "-passout", "pass:secret", "-in", "IN", "-out", "OUT"],
            input: identity.privateKeyPEM
        )
        let derivations = KeyDerivations()
        #expect(failure(pem: identity.certificateChainPEM + key, derivations) == .tooManyDerivations)
        #expect(derivations.rounds == 0)
    }

    // MARK: PKCS#12

    private func export(_ options: String...) throws -> [UInt8] {
        try OpenSSLCommand.run(
            ["pkcs12", "-export", "-in", "IN", "-out", "OUT", "-passout", "pass:secret"] + options,
            input: identity.privateKeyPEM + identity.certificateChainPEM
        )
    }

    /// The safes of a file: the encrypted one of the certificate and the one of the key, which is encrypted
    /// itself.
    private func safes(of file: [UInt8]) throws -> [[UInt8]] {
        let members = try TestDER.values(in: try TestDER.content(of: file))
        let explicit = try #require(try TestDER.values(in: try TestDER.content(of: members[1])).last)
        let octets = try TestDER.content(of: try TestDER.content(of: explicit))
        return try TestDER.values(in: try TestDER.content(of: octets))
    }

    private func file(of safes: [[UInt8]]) -> [UInt8] {
        let content = TestDER.value(TestDER.octets, TestDER.value(TestDER.sequence, safes.flatMap { $0 }))
        return TestDER.value(
            TestDER.sequence,
            TestDER.value(TestDER.integer, [3]),
            TestDER.value(TestDER.sequence, TestDER.data, TestDER.value(TestDER.explicit, content))
        )
    }

    @Test("each part of a file is derived once: its MAC, its certificates and its key")
    func partsOnce() throws {
        let derivations = KeyDerivations()
        let read = try TLSIdentity(
            pkcs12: try export("-iter", "5000"),
            password: Self.password,
            derivations: derivations
        )
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(derivations.rounds == 15_000)
        // The same with the code that creates the hostile files below.
        let rewritten = KeyDerivations()
        let file = file(of: try safes(of: try export("-iter", "5000")))
        _ = try TLSIdentity(pkcs12: file, password: Self.password, derivations: rewritten)
        #expect(rewritten.rounds == 10_000)
    }

    @Test("the limit is for the whole file: of 20 safes at the limit one is derived, of 3,000 cheap ones 488")
    func manySafes() throws {
        let atLimit = try safes(of: try export("-iter", "1000000"))
        let few = KeyDerivations()
        let twenty = file(of: Array(repeating: atLimit[0], count: 20) + [atLimit[1]])
        #expect(failure(pkcs12: twenty, few) == .tooManyDerivations)
        #expect(few.rounds == 1_000_000)

        let cheap = try safes(of: try export("-iter", "2048"))
        let many = KeyDerivations()
        let thousands = file(of: Array(repeating: cheap[0], count: 3000) + [cheap[1]])
        #expect(failure(pkcs12: thousands, many) == .tooManyDerivations)
        #expect(many.rounds == 488 * 2048)

        // One round each: setting them up costs more than the rounds do.
        let single = try safes(of: try export("-iter", "1"))
        let least = KeyDerivations()
        let countless = file(of: Array(repeating: single[0], count: 3000) + [single[1]])
        #expect(failure(pkcs12: countless, least) == .tooManyDerivations)
        #expect(least.rounds == 1_000_000)
    }

    @Test("a second private key in a file is rejected and not derived")
    func secondKeyOfFile() throws {
        let parts = try safes(of: try export("-iter", "5000"))
        let derivations = KeyDerivations()
        #expect(failure(pkcs12: file(of: parts + [parts[1]]), derivations) == .severalPrivateKeys)
        #expect(derivations.rounds == 10_000)
    }

    @Test("a MAC whose derivation is not PKCS#12's own is rejected and not derived")
    func strangeMAC() throws {
        var bytes = try export("-iter", "5000")
        let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        // PBMAC1 (RFC 9579): its rounds would be in parameters that are not checked.
        let pbmac1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0E]
        let place = try #require(bytes.ranges(of: sha256).last)
        bytes.replaceSubrange(place, with: pbmac1)
        let derivations = KeyDerivations()
        #expect(failure(pkcs12: bytes, derivations) == .tooManyDerivations)
        #expect(derivations.rounds == 0)
    }

    @Test("a file truncated anywhere, or with any byte changed, is rejected or opens within the limit")
    func mutations() throws {
        let bytes = try export("-iter", "1000")
        for count in stride(from: 0, to: bytes.count, by: 7) {
            let derivations = KeyDerivations(limit: 100_000)
            #expect(failure(pkcs12: Array(bytes.prefix(count)), derivations) != nil)
            #expect(derivations.rounds <= 100_000)
        }
        for index in stride(from: 0, to: bytes.count, by: 3) {
            var changed = bytes
            changed[index] ^= 0x41
            let derivations = KeyDerivations(limit: 100_000)
            _ = failure(pkcs12: changed, derivations)
            #expect(derivations.rounds <= 100_000)
        }
    }
}
