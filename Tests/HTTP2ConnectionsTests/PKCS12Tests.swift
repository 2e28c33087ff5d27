import COpenSSL
import Foundation
import Testing

@testable import HTTP2Connections

@Suite("PKCS#12 identities")
struct PKCS12Tests {
    /// Exports an identity with the `openssl` command.
    private func export(
        _ identity: TLSIdentity,
        password: String,
        isLegacy: Bool,
        _ options: [String] = []
    ) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("in.pem")
        let output = folder.appendingPathComponent("out.p12")
        try Data(identity.privateKeyPEM + identity.certificateChainPEM).write(to: input)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments =
            ["pkcs12", "-export", "-in", input.path, "-out", output.path, "-passout", "pass:" + password]
            + options + (isLegacy ? ["-legacy", "-certpbe", "PBE-SHA1-RC2-40", "-keypbe", "PBE-SHA1-3DES"] : [])
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return [UInt8](try Data(contentsOf: output))
    }

    @Test("a file is read, new or old", arguments: [(false, "secret"), (true, "secret"), (false, "")])
    func reads(isLegacy: Bool, password: String) throws {
        let authority = try TestAuthority()
        let identity = try authority.issue(subject: "com.example.app")
        let file = try export(identity, password: password, isLegacy: isLegacy)
        let read = try TLSIdentity(pkcs12: file, password: password)
        #expect(read.certificateChainPEM == identity.certificateChainPEM)
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        _ = try TLSServerContext(identity: read)
    }

    @Test("a wrong password and a broken file are refused without repeating the password")
    func refuses() throws {
        let authority = try TestAuthority()
        let file = try export(try authority.issue(), password: "right", isLegacy: false)
        #expect(throws: TLSIdentityFailure.wrongPassword) { try TLSIdentity(pkcs12: file, password: "hunter2") }
        for bytes in [Array(file.prefix(40)), []] {
            #expect {
                try TLSIdentity(pkcs12: bytes, password: "hunter2")
            } throws: { error in
                guard case TLSIdentityFailure.unreadable(let text) = error else { return false }
                return text.hasPrefix("PKCS#12") && !text.contains("hunter2")
            }
        }
    }

    /// A file of `openssl` whose keys are derived so often; `-iter` sets all three derivations, `-nomaciter` the MAC's to 1.
    private func costly(_ identity: TLSIdentity, _ options: [String]) throws -> [UInt8] {
        try export(identity, password: "secret", isLegacy: false, options)
    }

    @Test(
        "a file that would take minutes is refused before anything is derived that often",
        arguments: [["-iter", "1000001"], ["-iter", "1000001", "-nomaciter"]]
    )
    func refusesCost(options: [String]) throws {
        let file = try costly(try TestAuthority().issue(), options)
        #expect(throws: TLSIdentityFailure.tooManyDerivations) { try TLSIdentity(pkcs12: file, password: "secret") }
        let limit = try costly(try TestAuthority().issue(), ["-iter", "20000"])
        _ = try TLSIdentity(pkcs12: limit, password: "secret")
    }

    /// The identity's key as encrypted PKCS#8 of `openssl`, derived so often.
    private func encryptedKey(_ identity: TLSIdentity, iterations: Int, _ options: [String] = []) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appendingPathComponent("key.pem"), folder.appendingPathComponent("out.pem"))
        try Data(identity.privateKeyPEM).write(to: input)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = ["pkcs8", "-topk8", "-in", input.path, "-out", output.path]
        process.arguments? += ["-passout", "pass:secret", "-iter", String(iterations)] + options
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return [UInt8](try Data(contentsOf: output))
    }

    @Test("an encrypted PEM key that would take minutes is refused, too")
    func refusesCostlyPEM() throws {
        let identity = try TestAuthority().issue()
        let chain = identity.certificateChainPEM
        let costly = try encryptedKey(identity, iterations: 1_000_001)
        #expect(throws: TLSIdentityFailure.tooManyDerivations) {
            try TLSIdentity(pem: chain + costly, password: "secret")
        }
        let usual = try encryptedKey(identity, iterations: 2048)
        #expect(try TLSIdentity(pem: chain + usual, password: "secret").privateKeyPEM == identity.privateKeyPEM)
    }

    @Test("a costly key is not reached behind a block that stands in front of it")
    func refusesHiddenCost() throws {
        let identity = try TestAuthority().issue()
        let chain = identity.certificateChainPEM
        // Half an hour of a processor: whoever derives it does not come back.
        let written = String(decoding: try encryptedKey(identity, iterations: 0x100_0000), as: UTF8.self)
        let base64 = written.split(separator: "\n").dropFirst().dropLast().joined()
        var der = [UInt8](try #require(Data(base64Encoded: base64)))
        let place = try #require(der.firstRange(of: [2, 4, 1, 0, 0, 0]))
        der.replaceSubrange(place, with: [2, 4, 0x7F, 0xFF, 0xFF, 0xFF])
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let name = "ENCRYPTED PRIVATE KEY"
        let costly = Array("-----BEGIN \(name)-----\n\(lines)\n-----END \(name)-----\n".utf8)
        let cheap = try encryptedKey(identity, iterations: 2048)
        let header = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\n"
        func behindHeader(_ pem: [UInt8]) -> [UInt8] {
            let text = String(decoding: pem, as: UTF8.self)
            let end = text.index(after: text.firstIndex(of: "\n") ?? text.startIndex)
            return Array((text[..<end] + header + text[end...]).utf8)
        }
        let empty = Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8)
        let broken = Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\n!!!!\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8)
        let other = Array("-----BEGIN ANY PRIVATE KEY-----\nAAAA\n-----END ANY PRIVATE KEY-----\n".utf8)
        let texts = [
            cheap + costly, empty + costly, broken + costly, other + costly, behindHeader(cheap) + costly,
            behindHeader(costly), identity.privateKeyPEM + costly,
            Array(String(decoding: costly, as: UTF8.self).replacing("ENCRYPTED PRIVATE", with: "RSA PRIVATE").utf8),
            Array(String(decoding: costly, as: UTF8.self).replacing("ENCRYPTED PRIVATE", with: "EC PRIVATE").utf8),
            Array(String(decoding: costly, as: UTF8.self).replacing("ENCRYPTED PRIVATE", with: "PRIVATE").utf8),
            Array(String(decoding: costly, as: UTF8.self).replacing("ENCRYPTED PRIVATE", with: "ANY PRIVATE").utf8),
        ]
        for (number, text) in texts.enumerated() {
            var isRefused = false
            do { _ = try TLSIdentity(pem: chain + text, password: "secret") } catch { isRefused = true }
            #expect(isRefused, "text \(number)")
        }
        #expect(throws: TLSIdentityFailure.severalPrivateKeys) {
            try TLSIdentity(pem: chain + cheap + cheap, password: "secret")
        }
    }

    @Test("a file of many parts has one limit for all of them", arguments: [(20, 100_000), (3000, 1)])
    func refusesManyParts(count: Int, iterations: Int32) throws {
        let identity = try TestAuthority().issue()
        let certificate = identity.certificateChainPEM.withUnsafeBytes { bytes in
            PEM_read_bio_X509(BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)), nil, nil, nil)
        }
        defer { X509_free(certificate) }
        var safes: OpaquePointer?
        for _ in 0..<count {
            var bags: OpaquePointer?
            _ = PKCS12_add_cert(&bags, certificate)
            try #require(PKCS12_add_safe(&safes, bags, NID_aes_256_cbc, iterations, "secret") == 1)
        }
        let file = try #require(PKCS12_add_safes(safes, 0))
        defer { PKCS12_free(file) }
        try #require(PKCS12_set_mac(file, "secret", -1, nil, 0, 2048, nil) == 1)
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        try #require(i2d_PKCS12_bio(bio, file) == 1)
        let bytes = TLSIdentity.contents(of: bio)
        #expect(throws: TLSIdentityFailure.tooManyDerivations) { try TLSIdentity(pkcs12: bytes, password: "secret") }
    }

    @Test("a file that was written here is read again")
    func writes() throws {
        let identity = try TestAuthority().issue(subject: "com.example.app")
        let file = try identity.pkcs12(password: "secret")
        let read = try TLSIdentity(pkcs12: file, password: "secret")
        #expect(read.certificateChainPEM == identity.certificateChainPEM)
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(throws: TLSIdentityFailure.wrongPassword) { try TLSIdentity(pkcs12: file, password: "") }
    }
}
