import GatewayModel
import GatewayStorage
import Testing

/// Extra tokens of devices, the times of their last activity, and their end after a long inactivity.
enum DeviceLifeCases {
    static let all = [
        extraTokens, extraTokensMove, seenOnce, seenBy, seenIsOwn, staleEnd, staleInParts, staleWhenSeen, staleUnknown,
        staleByJump, staleWhenAway,
    ]

    private static let call = ExtraToken(kind: .voip, token: "aa01")
    private static let activity = ExtraToken(kind: .liveactivity, token: "bb02")

    static let extraTokens = ContractCase("extra tokens are stored with the registration, and each PUT replaces them") {
        (f) async throws in
        var device = f.device("d-1", of: "u-1")
        for tokens in [[call, activity], [activity], []] {
            device.extraTokens = tokens
            #expect(try await f.register(device).registration.extraTokens == tokens)
            #expect(try await f.registrations("u-1").map(\.extraTokens) == [tokens])
        }
    }

    static let extraTokensMove = ContractCase("extra tokens end with their registration, and others keep theirs") {
        (f) async throws in
        for (name, consumer) in [("d-1", "u-1"), ("d-2", "u-1")] {
            var device = f.device(name, of: consumer)
            device.extraTokens = name == "d-1" ? [call] : [activity]
            try await f.register(device)
        }
        // The device is another consumer's from now on, who has named none.
        try await f.register("d-1", of: "u-2")
        #expect(try await f.registrations("u-2").map(\.extraTokens) == [[]])
        #expect(try await f.registrations("u-1").map(\.extraTokens) == [[activity]])
    }

    static let seenOnce = ContractCase("the activity of a device is stored once an hour") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        let registered = f.now
        #expect(try await f.lastSeen("u-1") == [registered])
        let first = f.sighting("u-1", "d-1")
        f.wait(seconds: DeviceRegistration.seenForSeconds - 1)
        try await f.commit { $0.seen = [first] }
        #expect(try await f.lastSeen("u-1") == [registered])
        f.wait(seconds: 1)
        try await f.commit { $0.seen = [first, first] }
        #expect(try await f.lastSeen("u-1") == [f.now])
        // A clock that was set back does not lower it.
        let newest = f.now
        f.wait(seconds: -1_000_000)
        try await f.commit { $0.seen = [first] }
        #expect(try await f.lastSeen("u-1") == [newest])
        #expect(try await f.registrations("u-1").map(\.registeredAt) == [registered])
    }

    static let seenBy = ContractCase("a registration, a tap and a receipt count as activity") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        let id = try #require(try await f.accepted(f.message("u-1")).messageID)
        let device = DeviceID(trusted: "d-1")
        let receipts = [1, 2].map { _ in DeviceReceipt(message: id, device: device, state: .displayed, at: f.now) }
        let changes: [StoreChange] = [
            f.tap("u-1", "d-1", id), .register(f.device("d-1", of: "u-1")),
            .receipts(brand: f.brand, consumer: ConsumerID(trusted: "u-1"), receipts),
            // A repeated tap counts as activity, too.
            f.tap("u-1", "d-1", id),
        ]
        for change in changes {
            f.wait(seconds: 86_400)
            try await f.change(change)
            #expect(try await f.lastSeen("u-1") == [f.now])
        }
    }

    static let seenIsOwn = ContractCase("activity counts only for the consumer's own device") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        let registered = f.now
        f.wait(seconds: 86_400)
        let foreign = [f.sighting("u-2", "d-1"), f.sighting("nobody", "d-1"), f.sighting("u-1", "d-9")]
        try await f.commit { $0.seen = foreign }
        #expect(try await f.lastSeen("u-1") + f.lastSeen("u-2") == [registered, registered])
    }

    static let staleEnd = ContractCase(
        "stale registrations end with their waiting rows, and badges stay correct for others"
    ) { (f) async throws in
        _ = try await f.subscribe("crm")
        var first = f.device("d-1", of: "u-1")
        first.extraTokens = [call]
        let old = try await f.register(first).registration
        try await f.accepted(f.message("u-1"))
        f.wait(seconds: 100)
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        let result = try await f.commit { $0.changes = [f.stale(since: f.now)] }
        #expect(try result.changes[0].unregisteredChange.ended == [old.id])
        #expect(result.withdrawn.map(\.registration) == [old.id])
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-2"])
        let record = try #require(try await f.deliveries().first)
        #expect(record.state == .cancelled && record.suppressedBy == .unregistered)
        let reported = try await f.items().filter { $0.type == .deviceUnregistered }.map(\.data.text)
        #expect(
            reported == [
                #"{"consumer":"u-1","app":"shop","deviceId":"d-1","pushType":"apns","reason":"stale","scope":"all"}"#
            ]
        )
        // No push goes to it, and the other's badge counts everything.
        f.giveSlots(5)
        let rows = try await f.owned(f.message("u-1"))
        #expect(rows.map(\.lane) == [f.fcm] && rows.map(\.unread) == [2])
        // It registers again.
        let again = try await f.register(first)
        #expect(again.created && again.registration.lastSeenAt == f.now)
        #expect(try await f.owned(f.message("u-1")).map(\.lane) == [f.fcm, f.apns])
    }

    static let staleInParts = ContractCase("the longest inactive end first, up to the limit, of one brand") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        var foreign = f.device("d-9", of: "u-9")
        foreign.brand = other
        try await f.register(foreign)
        for number in 1...5 {
            f.wait(seconds: 1)
            try await f.register("d-\(number)", of: "u-\(6 - number)")
        }
        f.wait(seconds: 1)
        var ended: [Int] = []
        repeat {
            let change = try await f.change(f.stale(since: f.now, limit: 2)).unregisteredChange
            ended.append(change.ended.count)
            if ended.count == 1 {
                #expect(try await f.registrations("u-5").isEmpty)
                #expect(try await f.registrations("u-4").isEmpty)
                #expect(try await f.registrations("u-3").count == 1)
            }
        } while ended.last == 2
        #expect(ended == [2, 2, 1])
        let kept = try await f.store.registrations(brand: other, consumer: ConsumerID(trusted: "u-9"))
        #expect(kept.count == 1)
    }

    static let staleWhenSeen = ContractCase("a device that is active in the turn that would end it stays") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.wait(seconds: 86_400)
        let sighting = f.sighting("u-1", "d-1")
        let result = try await f.commit {
            $0.seen = [sighting]
            $0.changes = [f.stale(since: f.now)]
        }
        #expect(try result.changes[0].unregisteredChange.ended.isEmpty)
        #expect(try await f.registrations("u-1").count == 1)
    }

    static let staleUnknown = ContractCase("an unknown brand has no stale devices") { (f) async throws in
        let stale = StaleDevices(brand: BrandID(trusted: "nobody"), notSeenSince: f.now, limit: 9)
        #expect(try await f.change(.endStale(stale)).unregisteredChange.ended.isEmpty)
    }

    static let staleByJump = ContractCase(
        "neither a clock far ahead at a start nor its correction ends a registration"
    ) { (f) async throws in
        let days: Int64 = 86_400
        for name in ["d-1", "d-2"] { try await f.register(name, of: "u-1") }
        #expect(try await f.look(forDays: 270) == 0)
        _ = try await f.restart()
        f.wait(seconds: 3650 * days)
        #expect(try await f.look(forDays: 270) == 0)
        // One that arrives meanwhile is no reason to end the other.
        let sighting = f.sighting("u-1", "d-1")
        try await f.commit { $0.seen = [sighting] }
        _ = try await f.restart()
        for _ in 0..<10 {
            f.wait(seconds: 20 * days)
            #expect(try await f.look(forDays: 270) == 0)
        }
        // Back in the present.
        f.wait(seconds: -3830 * days)
        for _ in 0..<14 {
            #expect(try await f.look(forDays: 270) == 0)
            f.wait(seconds: 20 * days)
        }
        #expect(try await f.registrations("u-1").count == 2)
        // Now it has been inactive for the whole limit; the other was active at a future time.
        #expect(try await f.look(forDays: 270) == 1)
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-1"])
    }

    static let staleWhenAway = ContractCase("devices have the whole limit again when the gateway was stopped for long")
    {
        (f) async throws in
        let days: Int64 = 86_400
        try await f.register("d-1", of: "u-1")
        // Short gaps, ten times, then a long one.
        for _ in 0..<10 {
            #expect(try await f.look(forDays: 100) == 0)
            f.wait(seconds: 9 * days)
        }
        #expect(try await f.look(forDays: 100) == 0)
        f.wait(seconds: 11 * days)
        for _ in 0..<13 {
            #expect(try await f.look(forDays: 100) == 0)
            f.wait(seconds: 8 * days)
        }
        #expect(try await f.look(forDays: 100) == 1)
        // Nothing of a deleted brand is left.
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        #expect(try await f.runHousekeeping(.deletedBrands) > 0)
    }
}

extension ContractFixture {
    /// A sighting.
    fileprivate func sighting(_ consumer: String, _ device: String) -> DeviceSighting {
        DeviceSighting(consumer: name(consumer), device: DeviceID(trusted: device))
    }

    fileprivate func stale(since time: Timestamp, limit: Int = 100) -> StoreChange {
        .endStale(StaleDevices(brand: brand, notSeenSince: time, limit: limit))
    }

    /// Runs a pass of housekeeping; returns the number of registrations that it ended.
    fileprivate func look(forDays days: Int64) async throws -> Int {
        try await change(stale(since: now.adding(seconds: -days * 86_400))).unregisteredChange.ended.count
    }

    fileprivate func lastSeen(_ consumer: String) async throws -> [Timestamp] {
        try await registrations(consumer).map(\.lastSeenAt)
    }
}
