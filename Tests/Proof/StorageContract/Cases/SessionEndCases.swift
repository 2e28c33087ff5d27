import GatewayModel
import GatewayStorage
import Testing

/// Notifications of ended sessions: to every gateway on the data.
enum SessionEndCases {
    static let all = [logouts, logins, crowd, administration, notDone]

    static let logouts = ContractCase(
        "each listener is notified of a logout, also a remote one, before its call returns"
    ) {
        (f) async throws in
        let heard = [f.listen(), f.listen()]
        func reported(_ change: StoreChange) async throws -> [Set<SessionEnd>] {
            try await f.change(change)
            return heard.map { $0.take() }
        }
        for (byte, consumer) in [(UInt8(1), "u-1"), (2, "u-1"), (3, "u-2"), (4, "u-3")] {
            try await f.open(f.session(byte, consumer, device: "d-\(byte)"))
        }
        let first = StoreChange.endSession(tokenHash: f.session(1).tokenHash, unregister: .none)
        #expect(try await reported(first) == [[f.end(of: "u-1")], [f.end(of: "u-1")]])
        // It has ended already.
        #expect(try await reported(first) == [[], []])
        func remote(_ consumer: String, _ device: String? = nil) -> StoreChange {
            .endSessions(
                brand: f.brand,
                consumer: ConsumerID(trusted: consumer),
                device: device.map(DeviceID.init(trusted:)),
                unregister: .agent
            )
        }
        #expect(try await reported(remote("u-1", "d-9")) == [[], []])
        #expect(try await reported(remote("u-1", "d-2")) == [[f.end(of: "u-1")], [f.end(of: "u-1")]])
        #expect(try await reported(remote("nobody")) == [[], []])
        // Each of a turn.
        try await f.commit { $0.changes = ["u-2", "u-3"].map { remote($0) } }
        #expect(heard.map { $0.take() } == Array(repeating: [f.end(of: "u-2"), f.end(of: "u-3")], count: 2))
    }

    static let logins = ContractCase("a login that ends no session notifies no listener") { (f) async throws in
        let heard = f.listen()
        try await f.open(f.session(1, device: "d-1"))
        try await f.open(f.session(2, device: "d-1"))
        try await f.open(f.session(3, "u-2", device: "d-1"))
        try await f.register("d-1", of: "u-2")
        try await f.change(f.unregister("u-2", device: nil, .all))
        try await f.makeCredential("key-1")
        let unknown = try await f.store.revokeCredential(brand: f.brand, id: "nobody's", now: f.now, audit: nil)
        #expect(!unknown && heard.take().isEmpty)
    }

    static let crowd = ContractCase("a login that ends the oldest of too many notifies of it") { (f) async throws in
        for number in 0..<SessionLimits.perConsumer { try await f.open(f.session(UInt8(number))) }
        let heard = f.listen()
        try await f.open(f.session(255))
        #expect(heard.take() == [f.end(of: "u-1")])
    }

    static let administration = ContractCase("a revoked credential and a deleted brand are notified once") {
        (f) async throws in
        try await f.makeCredential("key-1")
        let heard = f.listen()
        for isFirst in [true, false] {
            #expect(try await f.store.revokeCredential(brand: f.brand, id: "key-1", now: f.now, audit: nil) == isFirst)
            #expect(heard.take() == (isFirst ? [.credential("key-1")] : []))
        }
        for isFirst in [true, false] {
            _ = try await f.store.deleteBrand(f.brand, audit: nil)
            #expect(heard.take() == (isFirst ? [.brand(f.brand)] : []))
        }
    }

    static let notDone = ContractCase("a change that is rolled back notifies no listener") { (f) async throws in
        try await f.open(f.session(1))
        try await f.open(f.session(2, "u-2"))
        let heard = f.listen()
        let (end, twice) = (
            StoreChange.endSession(tokenHash: f.session(1).tokenHash, unregister: .none),
            StoreChange.openSession(f.session(2, "u-2"))
        )
        await #expect(throws: StorageError.self) { try await f.commit { $0.changes = [end, twice] } }
        #expect(try await f.hasSession(1))
        try await f.open(f.session(3, "u-3"))
        #expect(heard.take().isEmpty)
    }
}
