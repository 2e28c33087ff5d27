import GatewayModel
import GatewayStorage
import Testing

/// Sessions and the credentials that opened them.
enum CredentialSessionCases {
    static let all = [revoked, refused, signed, expired, presented]

    static let revoked = ContractCase("a revoked credential ends the sessions that it opened, and no others") {
        (f) async throws in
        for credential in ["key-1", "key-2"] { try await f.makeCredential(credential) }
        try await f.open(f.session(1, credential: "key-1"))
        try await f.open(f.session(2, "u-2", device: "d-2", credential: "key-1"))
        try await f.open(f.session(3, credential: "key-1", seconds: 60))
        try await f.open(f.session(4, credential: "key-2"))
        try await f.open(f.session(5))
        let opened = try await f.store.session(tokenHash: [UInt8](repeating: 2, count: 32))
        #expect(opened?.credential == "key-1" && opened == f.session(2, "u-2", device: "d-2", credential: "key-1"))
        // The session that expired before ended by itself.
        f.wait(seconds: 60)
        #expect(try await f.store.revokeCredential(brand: f.brand, id: "key-1", now: f.now, audit: nil))
        #expect(try await !f.store.revokeCredential(brand: f.brand, id: "key-1", now: f.now, audit: nil))
        for byte in UInt8(1)...3 { #expect(try await !f.hasSession(byte)) }
        for byte in UInt8(4)...5 { #expect(try await f.hasSession(byte)) }
        _ = try await f.restart()
        #expect(try await !f.hasSession(1))
        #expect(try await f.hasSession(4))
        f.wait(seconds: 3 * 86_400)
        #expect(try await f.runHousekeeping(.sessions) == 5)
    }

    static let refused = ContractCase("a credential that is not valid opens no session") { (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.makeCredential("key-1")
        try await f.makeCredential("theirs", brand: other)
        _ = try await f.store.revokeCredential(brand: f.brand, id: "key-1", now: f.now, audit: nil)
        for (byte, credential) in [(UInt8(1), "key-1"), (2, "theirs"), (3, "nobody's")] {
            let result = try await f.change(
                .openSession(f.session(byte, device: "d-1", credential: credential))
            )
            guard case .credentialRevoked = result else { throw Unexpected(what: "\(result)") }
            #expect(try await !f.hasSession(byte))
        }
    }

    static let signed = ContractCase("a login that another session requested is rejected once that has ended") {
        (f) async throws in
        try await f.open(f.session(1, device: "d-1"))
        try await f.open(f.session(2, "u-2", device: "d-2"))
        func login(_ byte: UInt8, by signer: UInt8) async throws -> StoreChangeResult {
            try await f.change(
                .openSession(f.session(byte, device: "d-1"), LoginTerms(signedBy: f.session(signer).tokenHash))
            )
        }
        _ = try await login(3, by: 1).opening
        // Another consumer's session is not valid.
        guard case .sessionEnded = try await login(4, by: 2) else { throw Unexpected(what: "another's session") }
        _ = try await f.change(.endSession(tokenHash: f.session(1).tokenHash, unregister: .none))
        guard case .sessionEnded = try await login(5, by: 1) else {
            throw Unexpected(what: "a session that ended")
        }
        #expect(try await f.hasSession(3))
        for byte in UInt8(4)...5 { #expect(try await !f.hasSession(byte)) }
    }

    static let presented = ContractCase(
        "an assertion for single use opens one session, and a rejected login changes nothing"
    ) {
        (f) async throws in
        try await f.makeCredential("key-1")
        /// A login with an assertion that expires in a minute.
        func login(_ byte: UInt8, with hash: UInt8, name: String, credential: String = "key-1") -> StoreChange {
            let presentation = RedeemedCode(
                hash: [UInt8](repeating: hash, count: 32),
                keptFrom: f.now.adding(seconds: 60)
            )
            let assertion = LoginAssertion(
                anonymous: false,
                profile: ConsumerProfile(name: name),
                presentation: presentation
            )
            return .openSession(f.session(byte, credential: credential), LoginTerms(assertion: assertion))
        }
        func name() async throws -> String? {
            let found = try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-1"))
            return found?.profile.name
        }
        func expectRefused(_ change: StoreChange) async throws {
            let result = try await f.change(change)
            guard case .alreadyPresented = result else { throw Unexpected(what: "\(result)") }
        }
        // A login that is rejected for another reason does not use up its assertion, and creates no consumer.
        guard case .credentialRevoked = try await f.change(login(1, with: 1, name: "Eve", credential: "nobody's"))
        else {
            throw Unexpected(what: "an unknown credential")
        }
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-1")) == nil)
        #expect(try await f.change(login(1, with: 1, name: "Ann")).opening.anonymous == false)
        #expect(try await name() == "Ann")
        try await expectRefused(login(2, with: 1, name: "Eve"))
        #expect(try await name() == "Ann")
        #expect(try await !f.hasSession(2))
        // Of two in one turn the first wins.
        let both = try await f.commit { $0.changes = [login(3, with: 2, name: "Bea"), login(4, with: 2, name: "Eve")] }
        _ = try both.changes[0].opening
        guard case .alreadyPresented = both.changes[1] else { throw Unexpected(what: "\(both.changes[1])") }
        #expect(try await name() == "Bea")
        _ = try await f.restart()
        try await expectRefused(login(5, with: 1, name: "Eve"))
        // It is stored for longer than it is valid, whatever else is presented meanwhile.
        f.wait(seconds: 60 + 3599)
        #expect(try await f.store.markCodeUsed(RedeemedCode(hash: .init(repeating: 9, count: 32), keptFrom: f.now)))
        try await expectRefused(login(5, with: 1, name: "Eve"))
        f.wait(seconds: 1)
        _ = try await f.change(login(5, with: 1, name: "Cleo")).opening
        #expect(try await name() == "Cleo")
    }

    static let expired = ContractCase("a credential that expires ends no session") { (f) async throws in
        try await f.makeCredential("key-1", expiresAt: f.now.adding(seconds: 10))
        try await f.open(f.session(1, credential: "key-1"))
        f.wait(seconds: 60)
        #expect(try await f.hasSession(1))
    }
}
