import GatewayModel
import GatewayStorage
import Testing

/// Devices that are imported from another service's data.
enum ImportCases {
    static let all = [created, keptByToken, keptByDevice, keptWhenStopped, full, confirmed, registeredAgain, stopped]

    private static func device(_ f: ContractFixture, _ id: String, of consumer: String) -> DeviceToRegister {
        var device = f.device(id, of: consumer)
        device.isImported = true
        return device
    }

    private static func isKept(_ f: ContractFixture, _ device: DeviceToRegister) async throws -> Bool {
        if case .kept = try await f.change(.register(device)) { true } else { false }
    }

    /// Returns the row of a new message to an imported device.
    private static func row(_ f: ContractFixture, _ id: String = "d-1", of consumer: String = "u-1") async throws
        -> OutboxRow
    {
        try await f.register(device(f, id, of: consumer))
        f.giveSlots(2)
        return try await f.ownedRow(f.message(consumer))
    }

    static let created = ContractCase("an imported device is registered and marked, its consumer created") {
        (f) async throws in
        let change = try await f.register(device(f, "d-1", of: "u-1"))
        #expect(change.created && change.ended.isEmpty && change.registration.state == .active)
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-1"])
        f.giveSlots(2)
        #expect(try await f.ownedRow(f.message("u-1")).isImported)
        // One that waited in the store is marked, too.
        f.giveSlots(0)
        try await f.accepted(f.message("u-1"))
        #expect(try await f.claim().rows.map(\.isImported) == [true])
    }

    static let keptByToken = ContractCase("an import does not move a token") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        var other = device(f, "d-2", of: "u-2")
        other.token = f.device("d-1", of: "u-1").token
        #expect(try await isKept(f, other))
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-1"])
        #expect(try await f.registrations("u-2").isEmpty)
        // Its consumer is not created.
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-2")) == nil)
    }

    static let keptByDevice = ContractCase("an import replaces no registration of its device, however often it runs") {
        (f) async throws in
        let first = try await f.register(device(f, "d-1", of: "u-1")).registration
        var other = device(f, "d-1", of: "u-2")
        other.token = f.device("d-9", of: "u-2").token
        #expect(try await isKept(f, other))
        #expect(try await isKept(f, device(f, "d-1", of: "u-1")))
        let stored = try await f.registrations("u-1")
        #expect(stored.map(\.id) == [first.id] && stored.map(\.token) == [first.token])
    }

    static let keptWhenStopped = ContractCase("an import does not restore a device whose token is dead") {
        (f) async throws in
        let row = try await row(f)
        try await f.commit { $0.outcomes = [dead(f, row)] }
        #expect(try await isKept(f, device(f, "d-1", of: "u-1")))
        #expect(try await f.registrations("u-1").isEmpty)
    }

    static let full = ContractCase("an import does not end a consumer's oldest registration") { (f) async throws in
        for number in 0..<100 { try await f.register("d-\(number)", of: "u-1") }
        guard case .conflict = try await f.change(.register(device(f, "d-100", of: "u-1"))) else {
            throw Unexpected(what: "a 101st registration")
        }
        #expect(try await f.registrations("u-1").count == 100)
    }

    static let confirmed = ContractCase("an accepted push removes the mark, one to another token does not") {
        (f) async throws in
        let row = try await row(f)
        let token = OutcomeRecord.TokenEffect.confirm(token: "another")
        let effect = try await f.outcome(
            f.record(row, .finished(.accepted, nil), .accepted(providerID: "p"), status: 200, token: token)
        )
        #expect(effect.ended.isEmpty)
        let second = try await f.ownedRow(f.message("u-1"))
        #expect(second.isImported)
        let own = OutcomeRecord.TokenEffect.confirm(token: second.token)
        _ = try await f.outcome(
            f.record(second, .finished(.accepted, nil), .accepted(providerID: "q"), status: 200, token: own)
        )
        #expect(try await !f.ownedRow(f.message("u-1")).isImported)
        #expect(try await f.registrations("u-1").map(\.token) == [second.token])
    }

    static let registeredAgain = ContractCase("a device that registers itself is no longer marked") {
        (f) async throws in
        try await f.register(device(f, "d-1", of: "u-1"))
        #expect(try await !f.register("d-1", of: "u-1").created)
        f.giveSlots(2)
        #expect(try await !f.ownedRow(f.message("u-1")).isImported)
    }

    static let stopped = ContractCase("dead imported tokens are counted apart, also at the next start") {
        (f) async throws in
        let first = try await row(f)
        try await f.register("d-2", of: "u-2")
        let second = try await f.ownedRow(f.message("u-2"))
        f.wait(seconds: 1)
        let result = try await f.commit { $0.outcomes = [dead(f, first), dead(f, second)] }
        let stopped = StoppedDevices(
            registrations: [first.registration, second.registration],
            imported: [first.registration],
            devices: 2
        )
        #expect(result.stopped == [f.apns: stopped])
        let counts = try #require(try await f.restart().stopped[f.apns]).counts
        #expect(counts.map(\.count) == [2] && counts.map(\.imported) == [1])
    }

    private static func dead(_ f: ContractFixture, _ row: OutboxRow) -> OutcomeRecord {
        f.record(
            row,
            .finished(.failed, nil),
            .unregistered(since: nil),
            status: 410,
            reason: "Unregistered",
            token: .drop(token: row.token, since: nil)
        )
    }
}
