import GatewayModel
import GatewayStorage
import Testing

/// The proof for taking over a device that another consumer has.
enum DeviceProofCases {
    static let all = [planted, byLogin, byBackend]

    private static func register(
        _ f: ContractFixture,
        _ device: DeviceToRegister,
        session: UInt8,
        currentToken: String? = nil
    ) async throws -> StoreChangeResult {
        var wanted = device
        wanted.session = [UInt8](repeating: session, count: 32)
        wanted.currentToken = currentToken.map(ContractFixture.proof)
        return try await f.change(.register(wanted))
    }

    /// Returns whether a session was refused another consumer's device: by the result, and by unchanged data.
    private static func isRefused(
        _ f: ContractFixture,
        _ device: DeviceToRegister,
        session: UInt8,
        currentToken: String? = nil
    ) async throws -> Bool {
        func state() async throws -> [DeviceRegistration?] {
            var found: [DeviceRegistration?] = []
            for name in ["d-1", "d-2"] {
                let id = DeviceID(trusted: name)
                found.append(try await f.store.registration(brand: f.brand, app: f.app, device: id))
            }
            return found
        }
        let before = (try await state(), try await f.store.session(tokenHash: f.session(session).tokenHash))
        guard case .conflict = try await register(f, device, session: session, currentToken: currentToken) else {
            return false
        }
        let after = (try await state(), try await f.store.session(tokenHash: f.session(session).tokenHash))
        #expect(before.0.map(\.?.id) == after.0.map(\.?.id))
        #expect(before.0.map(\.?.registeredAt) == after.0.map(\.?.registeredAt))
        #expect(before.1 == after.1)
        return true
    }

    static let planted = ContractCase("a device's id alone neither adds a registration to it nor ends one") {
        (f) async throws in
        // On a device of a known consumer, of an anonymous one, and by either.
        try await f.register(f.device("d-1", of: "victim", token: "theirs"))
        try await f.change(f.anonymous("guest"))
        try await f.register(f.device("d-2", of: "guest", token: "guest's"))
        try await f.accepted(f.message("victim", in: "c-1"))
        for (byte, device) in [(UInt8(1), "d-1" as String?), (2, nil), (3, "d-2"), (4, nil)] {
            let consumer = byte == 3 ? "spy" : "stranger-\(byte)"
            if byte == 3 { try await f.change(f.anonymous(consumer)) }
            let opening = try await f.open(f.session(byte, consumer, device: device), currentToken: "spy's")
            #expect(opening.endedRegistrations.isEmpty && opening.merged.isEmpty)
            let target = device ?? "d-1"
            for shown in [nil, "", "spy's", "their", "theirss"] {
                let wanted = f.device(target, of: consumer, token: "spy's")
                f.wait(seconds: 1)
                #expect(try await isRefused(f, wanted, session: byte, currentToken: shown), "\(byte): \(shown ?? "-")")
            }
        }
        #expect(try await f.accepted(f.message("victim", in: "c-1")).deliveries == 1)
        #expect(try await f.claim().rows.map(\.token) == ["theirs", "theirs"])
    }

    static let byLogin = ContractCase(
        "a login ends others' registrations of its device only with the present push token"
    ) {
        (f) async throws in
        let other = AppID(trusted: "desk")
        _ = try await f.putApp(f.brand, other)
        try await f.change(f.anonymous("guest"))
        let first = try await f.register(f.device("d-1", of: "u-9", token: "one")).registration.id
        let second = try await f.register(f.device("d-1", of: "guest", token: "two", app: other)).registration.id
        let elsewhere = try await f.register(f.device("d-2", of: "u-9", token: "three")).registration.id
        for (byte, shown) in [(UInt8(1), nil as String?), (2, "three"), (3, "")] {
            let opening = try await f.open(f.session(byte, device: "d-1"), currentToken: shown)
            #expect(opening.endedRegistrations.isEmpty)
        }
        // A login that names no device takes over none.
        #expect(try await f.open(f.session(4), currentToken: "one").endedRegistrations.isEmpty)
        // A login without an identifier keeps another anonymous consumer's: a later login may still merge both.
        try await f.change(f.anonymous("visitor"))
        let visitor = f.session(5, "visitor", device: "d-1")
        #expect(try await f.open(visitor, currentToken: "two").endedRegistrations.isEmpty)
        #expect(try await f.open(f.session(6, device: "d-1"), currentToken: "one").endedRegistrations == [first])
        #expect(try await f.open(f.session(7, device: "d-1"), currentToken: "two").endedRegistrations == [second])
        #expect(try await f.registrations("u-9").map(\.id) == [elsewhere])
    }

    static let byBackend = ContractCase("a back-end needs no proof; the audit trail records what it took over") {
        (f) async throws in
        func audited(_ device: String, _ consumer: String, _ token: String) async throws -> [String] {
            var wanted = f.device(device, of: consumer, token: token)
            wanted.audit = AuditEntry(
                brand: f.brand,
                at: f.now,
                actor: AuditActor(kind: .serviceAccount, id: "sa"),
                action: .deviceReassigned,
                target: "\(device) \(consumer)"
            )
            try await f.register(wanted)
            return try await f.store.audit(AuditQuery(brand: f.brand, limit: 10)).map(\.entry.target)
        }
        #expect(try await audited("d-1", "u-1", "one") == [])
        #expect(try await audited("d-1", "u-1", "two") == [])
        #expect(try await audited("d-2", "u-1", "two") == [])
        #expect(try await audited("d-2", "u-2", "three") == ["d-2 u-2"])
        #expect(try await audited("d-3", "u-3", "three") == ["d-3 u-3", "d-2 u-2"])
        #expect(try await f.registrations("u-2").isEmpty)
    }
}
