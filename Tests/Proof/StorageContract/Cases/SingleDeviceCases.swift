import GatewayModel
import GatewayStorage
import Testing

/// Logins that log out other devices.
enum SingleDeviceCases {
    static let all = [others, unnamed, reported]

    static let others = ContractCase("a login as the only device ends the older sessions and the other devices") {
        (f) async throws in
        for device in ["d-1", "d-2", "d-3"] { try await f.register(device, of: "u-1") }
        try await f.register("d-4", of: "u-2")
        try await f.open(f.session(1, device: "d-1"))
        try await f.open(f.session(2, device: "d-2"))
        try await f.open(f.session(3))
        try await f.open(f.session(4, "u-2", device: "d-4"))
        f.giveSlots(9)
        let rows = try await f.owned(f.message("u-1"))
        let result = try await f.commit {
            $0.changes = [.openSession(f.session(5, device: "d-2"), LoginTerms(singleDevice: true))]
        }
        let opening = try result.changes[0].opening
        let kept = try await f.registrations("u-1")
        #expect(kept.map(\.device.rawValue) == ["d-2"])
        #expect(opening.endedSessions == 3 && opening.merged.isEmpty)
        let ended = Set(rows.map(\.registration)).subtracting(kept.map(\.id))
        #expect(Set(opening.endedRegistrations) == ended && ended.count == 2)
        #expect(Set(result.withdrawn.map(\.registration)) == ended)
        for delivery in try await f.deliveries() where delivery.device.rawValue != "d-2" {
            #expect(delivery.state == .cancelled && delivery.suppressedBy == .unregistered)
        }
        for byte in UInt8(1)...3 { #expect(try await !f.hasSession(byte)) }
        for byte in UInt8(4)...5 { #expect(try await f.hasSession(byte)) }
        #expect(try await f.registrations("u-2").count == 1)
    }

    static let unnamed = ContractCase("a login that names no device logs nobody out") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.open(f.session(1, device: "d-1"))
        let opening = try await f.open(f.session(2), singleDevice: true)
        #expect(opening == SessionOpening(consumer: ConsumerID(trusted: "u-1"), anonymous: false))
        #expect(try await f.hasSession(1))
        #expect(try await f.registrations("u-1").count == 1)
    }

    static let reported = ContractCase("the feed has the devices that a login has logged out") { (f) async throws in
        _ = try await f.subscribe("crm")
        try await f.register("d-1", of: "u-1")
        try await f.open(f.session(1, device: "d-1"))
        try await f.open(f.session(2, device: "d-2"), singleDevice: true)
        let items = try await f.items()
        #expect(items.map(\.type) == [.deviceUnregistered])
        let data = try #require(items.first?.data.text)
        #expect(data.contains(#""reason":"unregistered""#) && data.contains("d-1"))
    }
}
