import Foundation
import TestSupport
import Testing

@testable import TLS

@Suite("PEM identities")
struct PEMIdentityTests {
    private let authority: TestAuthority
    private let identity: TLSIdentity

    init() throws {
        authority = try TestAuthority()
        identity = try authority.issue(subject: "com.example.app")
    }

    @Test("certificates and key are found in any order, and the key's own certificate comes first")
    func order() throws {
        let (chain, key) = (identity.certificateChainPEM, identity.privateKeyPEM)
        let issuer = authority.certificatePEM
        for pem in [chain + key, key + chain, issuer + key + chain, chain + issuer + key] {
            let read = try TLSIdentity(pem: pem, password: nil)
            #expect(read.certificateChainPEM.starts(with: chain))
            #expect(read.privateKeyPEM == key)
            _ = try TLSClientContext(identity: read)
        }
        let both = try TLSIdentity(pem: issuer + key + chain, password: nil)
        #expect(both.certificateChainPEM == chain + issuer)
    }

    @Test("each error has its own case")
    func faults() throws {
        let other = try authority.issue(subject: "other")
        func failure(_ pem: [UInt8], _ password: String? = nil) -> TLSIdentityFailure? {
            do {
                _ = try TLSIdentity(pem: pem, password: password)
                return nil
            } catch { return error }
        }
        #expect(failure([]) == .noCertificate)
        #expect(failure(identity.privateKeyPEM) == .noCertificate)
        #expect(failure(identity.certificateChainPEM) == .noPrivateKey)
        #expect(failure(identity.certificateChainPEM + other.privateKeyPEM) == .keyDoesNotFit)
        let broken = Array(
            String(decoding: identity.certificateChainPEM, as: UTF8.self).replacingOccurrences(of: "M", with: "!").utf8
        )
        guard case .unreadable = failure(broken + identity.privateKeyPEM) else {
            Issue.record("a broken certificate was taken")
            return
        }
    }

    @Test("an encrypted key opens only with its password")
    func encrypted() throws {
        let key = try run(["pkcs8", "-topk8", "-passout", "pass:secret"], input: identity.privateKeyPEM)
        let pem = identity.certificateChainPEM + key
        let read = try TLSIdentity(pem: pem, password: "secret")
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(throws: TLSIdentityFailure.wrongPassword) { try TLSIdentity(pem: pem, password: "wrong") }
        #expect(throws: TLSIdentityFailure.wrongPassword) { try TLSIdentity(pem: pem, password: nil) }
    }

    private func run(_ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        try OpenSSLCommand.run(arguments + ["-in", "IN", "-out", "OUT"], input: input)
    }
}
