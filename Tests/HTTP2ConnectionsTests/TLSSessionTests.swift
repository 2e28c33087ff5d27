import COpenSSL
import Testing

@testable import TLS

/// Both sides of TLS, connected in memory, on one thread.
private struct TLSPair {
    let client: TLSSession
    let server: TLSSession

    init(
        identity: TLSIdentity,
        trust: [UInt8],
        name: String = "localhost",
        clientIdentity: TLSIdentity? = nil,
        clientAuthorities: [UInt8]? = nil,
        resuming: TLSResumption? = nil
    ) throws {
        let clientContext = try TLSClientContext(trustRootsPEM: trust, identity: clientIdentity)
        let serverContext = try TLSServerContext(identity: identity, clientAuthoritiesPEM: clientAuthorities)
        try self.init(clientContext, serverContext, name: name, resuming: resuming)
    }

    init(_ client: TLSClientContext, _ server: TLSServerContext, name: String, resuming: TLSResumption?) throws {
        self.client = try TLSSession(client: client, serverName: name, resuming: resuming)
        self.server = try TLSSession(server: server)
    }

    static func move(_ source: TLSSession, _ target: TLSSession) throws {
        var bytes = [UInt8](repeating: 0, count: source.pendingOutput)
        let count = bytes.withUnsafeMutableBytes { source.takeOutput(into: $0) }
        #expect(count == bytes.count)
        try bytes.withUnsafeBytes { bytes in try target.receive(bytes) }
    }

    /// Runs the handshake; throws the error of either side.
    ///
    /// - Parameters:
    ///   - keepsLast: Whether the server's bytes after the handshake are held back.
    ///   - before: Called before each step.
    /// - Throws: ``TLSFailure``.
    func handshake(keepsLast: Bool = false, before: () -> Void = {}) throws {
        for _ in 0..<10 where !client.isEstablished || !server.isEstablished {
            before()
            if !client.isEstablished { _ = try client.handshake() }
            try Self.move(client, server)
            before()
            if !server.isEstablished { _ = try server.handshake() }
            if !keepsLast || !server.isEstablished { try Self.move(server, client) }
        }
    }

    static func read(_ session: TLSSession) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 20_000)
        let result = try bytes.withUnsafeMutableBytes { bytes in try session.read(into: bytes) }
        guard case .bytes(let count) = result else { return [] }
        return Array(bytes.prefix(count))
    }

    static func write(_ bytes: [UInt8], _ session: TLSSession) throws {
        try bytes.withUnsafeBytes { bytes in try session.write(bytes) }
    }
}

/// Leaves an unrelated error in the thread's queue.
private func polluteErrorQueue() {
    let bio = BIO_new_mem_buf("no PEM", 6)
    #expect(PEM_read_bio_X509(bio, nil, nil, nil) == nil)
    BIO_free(bio)
    #expect(ERR_peek_error() != 0)
}

@Suite("TLS session")
struct TLSSessionTests {
    @Test("bytes are exchanged in both directions and close_notify ends each")
    func roundTrip() throws {
        let authority = try TestAuthority()
        let pair = try TLSPair(identity: try authority.issue(), trust: authority.certificatePEM)
        try pair.handshake()
        #expect(pair.client.version == "TLSv1.3")
        #expect(pair.client.negotiatedProtocol == "h2")
        try TLSPair.write(Array("ping".utf8), pair.client)
        try TLSPair.move(pair.client, pair.server)
        #expect(try TLSPair.read(pair.server) == Array("ping".utf8))
        pair.client.close()
        try TLSPair.move(pair.client, pair.server)
        var byte: UInt8 = 0
        let result = try withUnsafeMutableBytes(of: &byte) { bytes in
            try pair.server.read(into: bytes)
        }
        #expect(result == .closed)
        pair.server.close()
        try TLSPair.move(pair.server, pair.client)
        let response = try withUnsafeMutableBytes(of: &byte) { bytes in
            try pair.client.read(into: bytes)
        }
        #expect(response == .closed)
    }

    @Test("an error of another session in the thread's queue does not fail this one")
    func errorQueue() throws {
        let authority = try TestAuthority()
        let pair = try TLSPair(identity: try authority.issue(), trust: authority.certificatePEM)
        try pair.handshake(before: polluteErrorQueue)
        #expect(pair.client.isEstablished)
        // Takes the tickets first: OpenSSL itself clears the queue when it reads handshake messages.
        #expect(try TLSPair.read(pair.client).isEmpty)
        polluteErrorQueue()
        // Nothing to read means "later": with an error in the queue OpenSSL would report a failure.
        #expect(try TLSPair.read(pair.client).isEmpty)
        polluteErrorQueue()
        try TLSPair.write([1, 2], pair.client)
        try TLSPair.move(pair.client, pair.server)
        polluteErrorQueue()
        #expect(try TLSPair.read(pair.server) == [1, 2])
        ERR_clear_error()
    }

    enum Bad: String, CaseIterable {
        case wrongName
        case wrongAddress
        case expired
        case notYetValid
        case selfSigned
        case unknownAuthority
        case nameOnlyInSubject
    }

    @Test("a certificate that does not match the name is rejected with its reason", arguments: Bad.allCases)
    func rejections(bad: Bad) throws {
        let authority = try TestAuthority()
        let other = try TestAuthority(name: "Other Authority")
        let (identity, name, reason) =
            switch bad {
            case .wrongName: (try authority.issue(), "other.example", "hostname mismatch")
            case .wrongAddress: (try authority.issue(), "127.0.0.2", "IP address mismatch")
            case .expired: (try authority.issue(validUntil: -60), "localhost", "certificate has expired")
            case .notYetValid: (try authority.issue(validFrom: 60), "localhost", "certificate is not yet valid")
            case .selfSigned: (try authority.issue(isSelfSigned: true), "localhost", "self-signed certificate")
            case .unknownAuthority: (try other.issue(), "localhost", "unable to get local issuer certificate")
            case .nameOnlyInSubject:
                (
                    try authority.issue(subject: "localhost", alternativeNames: "IP:127.0.0.9"), "localhost",
                    "hostname mismatch"
                )
            }
        let pair = try TLSPair(identity: identity, trust: authority.certificatePEM, name: name)
        #expect(throws: TLSFailure.certificate(reason)) { try pair.handshake() }
        #expect(!pair.client.isEstablished)
    }

    @Test("names and addresses are matched against the alternative names", arguments: ["localhost", "127.0.0.1"])
    func acceptedNames(name: String) throws {
        let authority = try TestAuthority()
        let pair = try TLSPair(identity: try authority.issue(), trust: authority.certificatePEM, name: name)
        try pair.handshake()
        #expect(pair.client.isEstablished)
    }

    @Test("a session is resumed with any ticket, even if its connection ended without close_notify", arguments: [0, 1])
    func resumption(ticket: Int) throws {
        let authority = try TestAuthority()
        let clientContext = try TLSClientContext(trustRootsPEM: authority.certificatePEM)
        let serverContext = try TLSServerContext(identity: try authority.issue())
        let tickets = try {
            let first = try TLSPair(clientContext, serverContext, name: "localhost", resuming: nil)
            try first.handshake()
            #expect(!first.client.isResumed)
            // TLS 1.3 tickets come after the handshake.
            #expect(first.client.takeResumptions().isEmpty)
            _ = try TLSPair.read(first.client)
            return first.client.takeResumptions()
        }()
        try #require(tickets.count == 2)
        let second = try TLSPair(clientContext, serverContext, name: "localhost", resuming: tickets[ticket])
        try second.handshake()
        #expect(second.client.isResumed)
        #expect(second.server.isResumed)
    }

    @Test("each ticket is available as soon as its last byte has arrived")
    func ticketsInPieces() throws {
        let authority = try TestAuthority()
        let pair = try TLSPair(identity: try authority.issue(), trust: authority.certificatePEM)
        try pair.handshake(keepsLast: true)
        var bytes = [UInt8](repeating: 0, count: pair.server.pendingOutput)
        _ = bytes.withUnsafeMutableBytes { pair.server.takeOutput(into: $0) }
        var found: [Int] = []
        for index in bytes.indices {
            try bytes[index...index].withUnsafeBytes { try pair.client.receive($0) }
            #expect(try TLSPair.read(pair.client).isEmpty)
            let count = pair.client.takeResumptions().count
            if count > 0 { found.append(count) }
        }
        #expect(found == [1, 1])
    }

    @Test("of many sessions the newest are used first, each once except the last")
    func sessions() throws {
        var kept = TLSResumptions()
        #expect(kept.next() == nil)
        let all = try (0..<20).map { _ in TLSResumption(adopting: try #require(SSL_SESSION_new())) }
        kept.add(Array(all[..<2]))
        kept.add(Array(all[2...]))
        for index in all.indices.suffix(16).reversed() { #expect(kept.next() === all[index]) }
        #expect(kept.next() === all[4])
        kept.add([all[0]])
        #expect(kept.next() === all[0])
    }

    @Test("a client certificate is sent, and a missing required one is an error")
    func clientCertificates() throws {
        let authority = try TestAuthority()
        let good = try TLSPair(
            identity: try authority.issue(),
            trust: authority.certificatePEM,
            clientIdentity: try authority.issue(subject: "com.example.app"),
            clientAuthorities: authority.certificatePEM
        )
        try good.handshake()
        let certificate = try #require(good.server.peerCertificate)
        #expect(String(decoding: certificate, as: UTF8.self).contains("com.example.app"))
        let bad = try TLSPair(
            identity: try authority.issue(),
            trust: authority.certificatePEM,
            clientAuthorities: authority.certificatePEM
        )
        #expect(throws: TLSFailure.self) { try bad.handshake() }
        #expect(!bad.server.isEstablished)
    }

    @Test("TLS below 1.2 is rejected", arguments: [TLS1_1_VERSION, TLS1_2_VERSION])
    func versions(version: Int32) throws {
        let authority = try TestAuthority()
        let clientContext = try TLSClientContext(trustRootsPEM: authority.certificatePEM)
        let serverContext = try TLSServerContext(identity: try authority.issue())
        let isTaken = switchboard_SSL_CTX_set_max_proto_version(serverContext.handle.pointer, version) == 1
        #expect(isTaken)
        let pair = try TLSPair(clientContext, serverContext, name: "localhost", resuming: nil)
        if version == TLS1_2_VERSION {
            try pair.handshake()
            #expect(pair.client.version == "TLSv1.2")
        } else {
            #expect(throws: TLSFailure.self) { try pair.handshake() }
        }
    }

    @Test("idle sessions release their buffers")
    func releasesBuffers() throws {
        let mode = switchboard_SSL_CTX_get_mode(try TLSClientContext().handle.pointer)
        #expect(mode & Int(SSL_MODE_RELEASE_BUFFERS) != 0)
    }

    @Test("broken identities and trust roots are rejected with their reason")
    func brokenMaterial() throws {
        let authority = try TestAuthority()
        let good = try authority.issue()
        let other = try authority.issue()
        let mixed = TLSIdentity(
            certificateChainPEM: good.certificateChainPEM,
            privateKeyPEM: other.privateKeyPEM
        )
        let empty = TLSIdentity(certificateChainPEM: [], privateKeyPEM: good.privateKeyPEM)
        for identity in [mixed, empty] {
            #expect(throws: TLSFailure.self) { try TLSServerContext(identity: identity) }
        }
        #expect(throws: TLSFailure.self) { try TLSClientContext(trustRootsPEM: Array("nothing".utf8)) }
        #expect(throws: TLSFailure.self) { try TLSClientContext(trustRootsFile: "/nonexistent/roots.pem") }
    }
}
