import TestSupport
import Testing

@testable import TLS

@Suite("PKCS#12 identities")
struct PKCS12Tests {
    /// Exports an identity with the `openssl` command.
    private func export(
        _ identity: TLSIdentity,
        password: String,
        isLegacy: Bool,
        _ options: [String] = []
    ) throws -> [UInt8] {
        try OpenSSLCommand.run(
            ["pkcs12", "-export", "-in", "IN", "-out", "OUT", "-passout", "pass:" + password]
                + options + (isLegacy ? ["-legacy", "-certpbe", "PBE-SHA1-RC2-40", "-keypbe", "PBE-SHA1-3DES"] : []),
            input: identity.privateKeyPEM + identity.certificateChainPEM
        )
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

    @Test("a wrong password and a broken file cause errors without the password")
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

    /// Makes a file with `openssl` with that many derivation rounds; `-iter` sets all three derivations, `-nomaciter`
    /// the MAC's to 1.
    private func costly(_ identity: TLSIdentity, _ options: [String]) throws -> [UInt8] {
        try export(identity, password: "secret", isLegacy: false, options)
    }

    @Test(
        "a file that would take minutes is rejected before such a derivation",
        arguments: [["-iter", "1000001"], ["-iter", "1000001", "-nomaciter"]]
    )
    func refusesCost(options: [String]) throws {
        let file = try costly(try TestAuthority().issue(), options)
        #expect(throws: TLSIdentityFailure.tooManyDerivations) { try TLSIdentity(pkcs12: file, password: "secret") }
        let limit = try costly(try TestAuthority().issue(), ["-iter", "20000"])
        _ = try TLSIdentity(pkcs12: limit, password: "secret")
    }

    @Test("an encrypted PEM key that would take minutes is rejected too")
    func refusesCostlyPEM() throws {
        let identity = try TestAuthority().issue()
        func pem(_ iterations: String) throws -> [UInt8] {
            let arguments = ["-in", "IN", "-out", "OUT", "-passout", "pass:secret", "-iter", iterations]
            let key = try OpenSSLCommand.run(["pkcs8", "-topk8"] + arguments, input: identity.privateKeyPEM)
            return identity.certificateChainPEM + key
        }
        let costly = try pem("1000001")
        #expect(throws: TLSIdentityFailure.tooManyDerivations) { try TLSIdentity(pem: costly, password: "secret") }
        let usual = try pem("2048")
        #expect(try TLSIdentity(pem: usual, password: "secret").privateKeyPEM == identity.privateKeyPEM)
    }

    @Test("a file that this code wrote can be read")
    func writes() throws {
        let identity = try TestAuthority().issue(subject: "com.example.app")
        let file = try identity.pkcs12(password: "secret")
        let read = try TLSIdentity(pkcs12: file, password: "secret")
        #expect(read.certificateChainPEM == identity.certificateChainPEM)
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(throws: TLSIdentityFailure.wrongPassword) { try TLSIdentity(pkcs12: file, password: "") }
    }
}
