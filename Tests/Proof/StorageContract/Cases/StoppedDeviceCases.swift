import GatewayModel
import GatewayStorage
import Testing

/// Devices whose tokens a provider reports as dead.
enum StoppedDeviceCases {
    static let all = [hidden, erased, started]

    /// Rejects a push to the device.
    @discardableResult
    private static func stop(_ f: ContractFixture, _ rows: OutboxRow...) async throws -> WriterTurnResult {
        f.wait(seconds: 1)
        let outcomes = rows.map { row in
            f.record(
                row,
                .finished(.failed, nil),
                .unregistered(since: nil),
                status: 410,
                reason: "Unregistered",
                token: .drop(token: row.token, since: nil)
            )
        }
        return try await f.commit { $0.outcomes = outcomes }
    }

    private static func stopped(_ f: ContractFixture, _ device: String) async throws -> OutboxRow {
        try await f.register(device, of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await stop(f, row)
        return row
    }

    private static func request(_ f: ContractFixture, limit: Int = 100) -> StoppedDeviceRequest {
        StoppedDeviceRequest(lane: f.apns, stoppedBy: f.now, limit: limit)
    }

    private static func end(_ f: ContractFixture, limit: Int = 100) async throws -> StoppedDeviceResult {
        let request = request(f, limit: limit)
        return try #require(try await f.commit { $0.invalidations = [request] }.invalidations.first)
    }

    private static func putBack(_ f: ContractFixture, limit: Int = 100) async throws -> StoppedDeviceResult {
        let request = request(f, limit: limit)
        return try #require(try await f.commit { $0.putBacks = [request] }.putBacks.first)
    }

    private static func reported(_ f: ContractFixture) async throws -> [String] {
        try await f.items().filter { $0.type == .deviceUnregistered }.map(\.data.text)
    }

    static let hidden = ContractCase("a dead token stops its device at once, without a feed item yet") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        try await f.register("d-3", of: "u-2")
        f.giveSlots(2)
        let rows = try await f.owned(f.message("u-1"))
        let result = try await stop(f, rows[0])
        #expect(result.outcomes.map(\.ended) == [[rows[0].registration]])
        #expect(result.stopped == [f.apns: StoppedDevices(registrations: [rows[0].registration], devices: 3)])
        #expect(try await f.store.registration(brand: f.brand, app: f.app, device: DeviceID(trusted: "d-1")) == nil)
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-2"])
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
        #expect(try await f.change(f.unregister("u-2", .all)).unregisteredChange.ended.count == 1)
        #expect(try await reported(f).count == 1)
        // It stops once.
        #expect(try await stop(f, rows[0]).stopped.isEmpty)
    }

    static let erased = ContractCase("a stopped device of a removed consumer or app is removed with it") {
        (f) async throws in
        _ = try await stopped(f, "d-1")
        let erasure = ErasureRequest(brand: f.brand, consumer: ConsumerID(trusted: "u-1"), audit: nil)
        try await f.change(.erase(erasure))
        #expect(try await putBack(f) == StoppedDeviceResult())
        _ = try await stopped(f, "d-2")
        _ = try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil)
        #expect(try await f.restart().stopped.isEmpty)
        #expect(try await f.runHousekeeping(.deletedApps) > 0)
        #expect(try await end(f) == StoppedDeviceResult())
    }

    static let started = ContractCase("a start finds the stopped devices and the suspended lanes") {
        (f) async throws in
        for number in 1...3 { try await f.register("d-\(number)", of: "u-1") }
        f.giveSlots(3)
        let rows = try await f.owned(f.message("u-1"))
        try await stop(f, rows[0], rows[1])
        let second = Timestamp(milliseconds: f.now.milliseconds / 1000 * 1000)
        let (apns, fcm) = (f.apns, f.fcm)
        try await f.commit { $0.suspensions = [apns: true, fcm: true] }
        try await f.commit { $0.suspensions = [fcm: false] }
        let counts = [StoppedCount(at: second, count: 2)]
        #expect(
            try await f.restart().stopped == [apns: StoppedAtStart(counts: counts, devices: 3, isSuspended: true)]
        )
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-3"])
        try await f.commit { $0.suspensions = [apns: false] }
        #expect(try await putBack(f).registrations == rows.prefix(2).map(\.registration))
        #expect(try await f.restart().stopped.isEmpty)
    }
}
