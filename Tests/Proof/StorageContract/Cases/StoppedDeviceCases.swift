import GatewayModel
import GatewayStorage
import Testing

/// Devices whose tokens a provider reports as dead.
enum StoppedDeviceCases {
    static let all = [
        hidden, ended, putBack, reopened, lateResponse, notReopened, pieces, registeredAgain, taken, loggedOut, erased,
        started,
    ]

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

    static let ended = ContractCase("a turn's request ends a stopped device, with the reason in the feed") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        let row = try await stopped(f, "d-1")
        let stoppedAt = f.now
        f.wait(seconds: 10)
        var early = request(f)
        early.stoppedBy = stoppedAt.adding(seconds: -1)
        let asked = early
        let none = try #require(try await f.commit { $0.invalidations = [asked] }.invalidations.first)
        #expect(none == StoppedDeviceResult(oldest: stoppedAt))
        #expect(try await end(f) == StoppedDeviceResult(registrations: [row.registration]))
        #expect(
            try await reported(f) == [
                #"{"consumer":"u-1","app":"shop","deviceId":"d-1","pushType":"apns","reason":"token_dead","scope":"all"}"#
            ]
        )
        #expect(try await end(f) == StoppedDeviceResult())
        #expect(try await putBack(f) == StoppedDeviceResult())
        #expect(try await f.registrations("u-1").isEmpty)
    }

    static let putBack = ContractCase("a restored stopped device is unchanged, and the feed has no item") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        let before = try await f.register("d-1", of: "u-1").registration
        f.giveSlots(1)
        try await stop(f, try await f.ownedRow(f.message("u-1")))
        f.wait(seconds: 10)
        #expect(try await putBack(f) == StoppedDeviceResult(registrations: [before.id]))
        let after = try #require(try await f.registrations("u-1").first)
        #expect(after.id == before.id && after.state == .active && after.token == before.token)
        #expect(after.registeredAt == before.registeredAt)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
        #expect(try await reported(f).isEmpty)
        #expect(try await end(f) == StoppedDeviceResult())
    }

    static let reopened = ContractCase("waiting rows of a stopped device are handed out again when it is restored") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        f.giveSlots(0)
        try await f.accepted(f.message("u-1"))
        try await f.accepted(f.message("u-1"))
        try await stop(f, row)
        #expect(try await f.deliveries().map(\.state) == [.cancelled, .cancelled, .failed])
        #expect(try await f.claim().rows.isEmpty)
        try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(1)))
        f.wait(seconds: 5)
        let request = request(f)
        let result = try await f.commit { $0.putBacks = [request] }
        #expect(result.unowned == [f.agents(f.apns): f.now])
        let rows = try await f.claim().rows
        // The first was read meanwhile.
        #expect(rows.map(\.message?.sequence) == [2, 3])
        #expect(rows.allSatisfy { $0.token == row.token && $0.attempts == 0 })
        #expect(try await f.delivery(row.id).record.state == .failed)
    }

    static let lateResponse = ContractCase(
        "a row that is queued again while its push is in flight gets its late response"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(3)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"), f.message("u-1"))
        try await stop(f, rows[0])
        #expect(try await putBack(f).registrations == [rows[0].registration])
        try await f.outcome(f.response(rows[1]))
        try await f.outcome(f.retry(rows[2], seconds: 0))
        // One has ended and waits no longer; the other's try counts.
        let claim = try await f.claim()
        #expect(claim.rows.map(\.id) == [rows[0].id, rows[2].id] && claim.rows.map(\.attempts) == [1, 1])
        #expect(claim.nextDue == nil)
        for row in claim.rows { try await f.outcome(f.retry(row, seconds: 0)) }
        #expect(try await f.claim().rows.map(\.attempts) == [2, 2])
        #expect(try await f.delivery(rows[1].id).record.state == .accepted)
    }

    static let notReopened = ContractCase("waiting rows of a stopped device stay ended when they have expired") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        var short = f.message("u-1")
        short.ttlSeconds = 30
        let first = try await f.ownedRow(short)
        let second = try await f.owned(f.message("u-1"))[0]
        try await stop(f, first)
        f.wait(seconds: 60)
        #expect(try await putBack(f).registrations == [first.registration])
        let claimed = try await f.claim().rows
        #expect(claimed.map(\.id) == [second.id])
        #expect(try await f.delivery(first.id).record.state == .failed)
        var outcome = f.response(claimed[0])
        outcome.earlierTries = claimed[0].attempts
        try await f.outcome(outcome)
        #expect(try await f.delivery(second.id).record.state == .accepted)
    }

    static let pieces = ContractCase("stopped devices end and are restored in batches, the first stopped first") {
        (f) async throws in
        for number in 1...5 { try await f.register("d-\(number)", of: "u-1") }
        f.giveSlots(5)
        let rows = try await f.owned(f.message("u-1"))
        var stoppedAt: [Timestamp] = []
        for row in rows {
            try await stop(f, row)
            stoppedAt.append(f.now)
        }
        let first = try await putBack(f, limit: 2)
        #expect(first.registrations == rows.prefix(2).map(\.registration) && first.oldest == stoppedAt[2])
        let second = try await end(f, limit: 2)
        #expect(second.registrations == rows[2...3].map(\.registration) && second.oldest == stoppedAt[4])
        let last = try await putBack(f, limit: 2)
        #expect(last == StoppedDeviceResult(registrations: [rows[4].registration]))
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-1", "d-2", "d-5"])
        #expect(try await f.claim().rows.map(\.id) == [rows[0], rows[1], rows[4]].map(\.id))
    }

    static let registeredAgain = ContractCase("a stopped device that registers again is present again") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        let row = try await stopped(f, "d-1")
        let change = try await f.register(f.device("d-1", of: "u-1", token: "newer"))
        #expect(change.created && change.ended.isEmpty)
        f.wait(seconds: 600)
        #expect(try await end(f) == StoppedDeviceResult())
        #expect(try await putBack(f) == StoppedDeviceResult())
        #expect(try await f.registrations("u-1").map(\.token) == ["newer"])
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
        #expect(try await f.delivery(row.id).record.state == .failed)
        #expect(try await reported(f).isEmpty)
    }

    static let taken = ContractCase("a stopped device that another consumer registers, or its token, is not restored") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        _ = try await stopped(f, "d-1")
        #expect(try await f.register("d-1", of: "u-2").ended.isEmpty)
        #expect(try await reported(f).count == 1)
        _ = try await stopped(f, "d-2")
        let other = try await f.register(f.device("d-3", of: "u-2", token: "token-of-d-2"))
        #expect(other.created && other.ended.isEmpty)
        #expect(try await putBack(f) == StoppedDeviceResult())
        #expect(try await f.registrations("u-1").isEmpty)
        #expect(try await f.registrations("u-2").map(\.device.rawValue) == ["d-1", "d-3"])
    }

    static let loggedOut = ContractCase("a stopped device whose consumer logs out, or that receives less, stays so") {
        (f) async throws in
        let row = try await stopped(f, "d-1")
        let change = try await f.change(f.unregister("u-1", .agent)).unregisteredChange
        #expect(change == RegistrationsChange())
        #expect(try await putBack(f).registrations == [row.registration])
        #expect(try await f.registrations("u-1").map(\.receives) == [.proactive])
        #expect(try await f.claim().rows.isEmpty)
        f.giveSlots(1)
        try await f.register("d-1", of: "u-1")
        try await stop(f, try await f.ownedRow(f.message("u-1")))
        #expect(try await f.change(f.unregister("u-1", .all)).unregisteredChange == RegistrationsChange())
        #expect(try await putBack(f) == StoppedDeviceResult())
        #expect(try await f.registrations("u-1").isEmpty)
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
