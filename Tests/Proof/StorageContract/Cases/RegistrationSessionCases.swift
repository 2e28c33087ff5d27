import GatewayModel
import GatewayStorage
import Testing

/// Registrations and the sessions that request them.
enum RegistrationSessionCases {
    static let all = [ended]

    private static func register(
        _ f: ContractFixture,
        _ device: String,
        _ consumer: String = "u-1",
        session: UInt8,
        singleDevice: Bool = false
    ) async throws -> RegistrationChange? {
        var wanted = f.device(device, of: consumer)
        wanted.session = [UInt8](repeating: session, count: 32)
        wanted.singleDevice = singleDevice
        switch try await f.change(.register(wanted)) {
        case .registered(let change): return change
        case .sessionEnded: return nil
        case let other: throw Unexpected(what: "\(other)")
        }
    }

    static let ended = ContractCase("a device is registered for a session only while it is live, and for its consumer")
    {
        (f) async throws in
        try await f.makeCredential("key-1")
        try await f.open(f.session(1))
        try await f.open(f.session(2, credential: "key-1"))
        try await f.open(f.session(3, seconds: 60))
        for byte in UInt8(1)...3 { #expect(try await register(f, "d-\(byte)", session: byte) != nil) }
        // Another consumer's, and an unknown one.
        try await f.open(f.session(4, "u-2"))
        #expect(try await register(f, "d-9", session: 4) == nil)
        #expect(try await register(f, "d-9", session: 99) == nil)
        #expect(try await register(f, "d-9", "nobody", session: 1) == nil)
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "nobody")) == nil)
        _ = try await f.change(.endSession(tokenHash: [UInt8](repeating: 1, count: 32), unregister: .all))
        _ = try await f.store.revokeCredential(brand: f.brand, id: "key-1", now: f.now, audit: nil)
        f.wait(seconds: 60)
        for byte in UInt8(1)...3 { #expect(try await register(f, "d-9", session: byte) == nil) }
        #expect(try await f.store.registration(brand: f.brand, app: f.app, device: DeviceID(trusted: "d-9")) == nil)
        // An anonymous session ends when its consumer is merged: its old id must not authorize it.
        _ = try await f.change(f.anonymous("guest"))
        try await f.open(f.session(10, "guest", device: "d-10"))
        #expect(try await register(f, "d-10", "guest", session: 10) != nil)
        try await f.open(f.session(11, "u-1", device: "d-10"), anonymous: 10)
        #expect(try await register(f, "d-11", "guest", session: 10) == nil)
    }
}
