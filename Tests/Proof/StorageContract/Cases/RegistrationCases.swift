import GatewayModel
import GatewayStorage
import Testing

/// The registration, move and removal of devices (R71, R80-R82).
enum RegistrationCases {
    static let all = [
        wholeRegistration, idempotent, rotation, tokenMoves, tokenMovesWithinConsumer, deviceMoves, laneChanges,
        narrowed, narrowedToAgents, tooMany, nextUser,
        unknownApp, otherBrand, unregisterAll, unregisterAgent, unregisterNone, unregisterOne, unregisterUnknown,
        endedInTurnOfRow, rotatedInTurnOfRow,
    ]

    static let wholeRegistration = ContractCase("a registration is stored with all facts of the device") {
        (f) async throws in
        var device = f.device("d-1", of: "u-1", environment: .sandbox, receives: .proactive)
        device.locale = "de-CH"
        device.timeZone = "Europe/Zurich"
        device.osVersion = "19.1"
        device.appVersion = "5.0"
        let change = try await f.register(device)
        #expect(change.created && change.ended.isEmpty)
        let lane = try await f.lane(f.brand, f.app, .apns, .sandbox)
        let stored = try #require(
            try await f.store.registration(brand: f.brand, app: f.app, device: DeviceID(trusted: "d-1"))
        )
        for registration in [change.registration, stored] + (try await f.registrations("u-1")) {
            #expect(registration.id == change.registration.id && registration.lane == lane)
            #expect(registration.brand == f.brand && registration.app == f.app)
            #expect(registration.device.rawValue == "d-1" && registration.consumer.rawValue == "u-1")
            #expect(registration.token == device.token && registration.pushType == .apns)
            #expect(registration.environment == .sandbox && registration.platform == .ios)
            #expect(registration.locale == "de-CH" && registration.timeZone == "Europe/Zurich")
            #expect(registration.osVersion == "19.1" && registration.appVersion == "5.0")
            #expect(registration.receives == .proactive && registration.state == .active)
            #expect(registration.registeredAt == f.now && registration.createdAt == f.now)
        }
        #expect(try await f.registrations("nobody").isEmpty)
    }

    static let idempotent = ContractCase("registering again renews the registration and changes nothing else") {
        (f) async throws in
        let first = try await f.register("d-1", of: "u-1").registration
        try await f.accepted(f.message("u-1"))
        f.wait(seconds: 60)
        let second = try await f.register("d-1", of: "u-1")
        #expect(!second.created && second.ended.isEmpty && second.registration.id == first.id)
        #expect(second.registration.registeredAt == f.now && second.registration.createdAt == first.createdAt)
        #expect(try await f.registrations("u-1").map(\.registeredAt) == [f.now])
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
        #expect(try await f.claim().rows.count == 2)
    }

    static let rotation = ContractCase("a new token keeps the registration, and waiting rows use it") {
        (f) async throws in
        let first = try await f.register("d-1", of: "u-1").registration
        try await f.accepted(f.message("u-1"))
        let second = try await f.register(f.device("d-1", of: "u-1", token: "newer"))
        #expect(second.registration.id == first.id && !second.created && second.ended.isEmpty)
        f.giveSlots(1, mayHaveBacklog: false)
        #expect(try await f.claim().rows.map(\.token) == ["newer"])
        #expect(try await f.ownedRow(f.message("u-1")).token == "newer")
    }

    static let tokenMoves = ContractCase("a token that another consumer had moves, and the other's pushes end") {
        (f) async throws in
        let old = try await f.register(f.device("d-1", of: "u-1", token: "t")).registration
        try await f.accepted(f.message("u-1"))
        let change = try await f.register(f.device("d-2", of: "u-2", token: "t"))
        #expect(change.created && change.ended == [old.id] && change.registration.id != old.id)
        #expect(try await f.registrations("u-1").isEmpty)
        let record = try #require(try await f.deliveries().first)
        #expect(record.state == .cancelled && record.suppressedBy == .tokenMoved && record.device.rawValue == "d-1")
        #expect(try await f.claim().rows.isEmpty)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 0)
        #expect(try await f.accepted(f.message("u-2", in: "c-2")).deliveries == 1)
    }

    static let tokenMovesWithinConsumer = ContractCase("a token under a new device id ends the old registration") {
        (f) async throws in
        let old = try await f.register(f.device("d-1", of: "u-1", token: "t")).registration
        let change = try await f.register(f.device("d-2", of: "u-1", token: "t"))
        #expect(change.ended == [old.id])
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-2"])
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
    }

    static let deviceMoves = ContractCase("a device under another consumer is a new registration") { (f) async throws in
        let old = try await f.register(f.device("d-1", of: "u-1", token: "t")).registration
        try await f.accepted(f.message("u-1"))
        let same = try await f.register(f.device("d-1", of: "u-2", token: "t"))
        #expect(same.created && same.registration.id != old.id && same.ended == [old.id])
        #expect(try await f.deliveries().map(\.suppressedBy) == [.tokenMoved])
        try await f.accepted(f.message("u-2", in: "c-2"))
        let other = try await f.register(f.device("d-1", of: "u-3", token: "other"))
        #expect(other.ended == [same.registration.id])
        #expect(try await f.deliveries().map(\.suppressedBy) == [.unregistered, .tokenMoved])
        #expect(try await f.claim().rows.isEmpty)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 0)
        #expect(try await f.accepted(f.message("u-3", in: "c-3")).deliveries == 1)
    }

    static let laneChanges = ContractCase("a device with another lane is a new registration") { (f) async throws in
        let old = try await f.register("d-1", of: "u-1").registration
        try await f.accepted(f.message("u-1"))
        let change = try await f.register(f.device("d-1", of: "u-1", environment: .sandbox))
        #expect(change.ended == [old.id] && change.registration.lane != old.lane)
        #expect(try await f.claim(old.lane).rows.isEmpty)
        #expect(try await f.registrations("u-1").map(\.id) == [change.registration.id])
    }

    static let narrowed = ContractCase("a device that no longer receives agents' messages gets none that wait") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        _ = try await f.accept(f.message("u-1"), f.proactive("u-1"))
        try await f.register(f.device("d-1", of: "u-1", receives: .proactive))
        #expect(try await f.claim().rows.isEmpty)
        #expect(try await f.claim(queue: .proactive(campaign: nil)).rows.map(\.message?.kind) == [.proactive])
        #expect(try await f.accepted(f.message("u-1")).deliveries == 0)
    }

    static let narrowedToAgents = ContractCase(
        "a device that no longer receives proactive messages gets none that wait"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        _ = try await f.accept(f.message("u-1"), f.proactive("u-1"))
        try await f.register(f.device("d-1", of: "u-1", receives: .agent))
        #expect(try await f.claim().rows.map(\.message?.kind) == [.agent])
    }

    static let tooMany = ContractCase("a consumer has a hundred registrations at most, the latest ones") {
        (f) async throws in
        let first = try await f.register("d-0", of: "u-1").registration
        for number in 1..<100 {
            f.wait(seconds: 1)
            #expect(try await f.register("d-\(number)", of: "u-1").ended.isEmpty)
        }
        f.wait(seconds: 1)
        #expect(try await f.register("d-100", of: "u-1").ended == [first.id])
        #expect(try await f.registrations("u-1").count == 100)
    }

    static let nextUser = ContractCase("a login that presents a device's push token ends others' registrations there") {
        (f) async throws in
        let old = try await f.register("d-1", of: "u-1").registration
        let elsewhere = try await f.register("d-2", of: "u-1").registration
        try await f.accepted(f.message("u-1"))
        func ended(_ session: StoredSession) async throws -> [RegistrationID] {
            let opening = try await f.open(session, currentToken: old.token)
            return opening.endedRegistrations
        }
        #expect(try await ended(f.session(1, "u-1", device: "d-1")) == [])
        #expect(try await ended(f.session(2, "u-2", device: "d-1")) == [old.id])
        #expect(try await f.claim().rows.map(\.registration) == [elsewhere.id])
        #expect(try await f.open(f.session(3, "u-3")).endedRegistrations.isEmpty)
    }

    static let unknownApp = ContractCase("a device of an unknown app, brand or lane is not registered") {
        (f) async throws in
        var brandless = f.device("d-1", of: "u-1")
        brandless.brand = BrandID(trusted: "gone")
        let devices = [
            brandless, f.device("d-1", of: "u-1", app: AppID(trusted: "gone")),
            f.device("d-1", of: "u-1", pushType: .huawei),
        ]
        for device in devices {
            let result = try await f.change(.register(device))
            #expect(result.isNotFound)
        }
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-1")) == nil)
    }

    static let otherBrand = ContractCase("one token and device in two brands are two registrations") {
        (f) async throws in
        let other = BrandID(trusted: "other")
        try await f.makeBrand(other, app: f.app)
        try await f.register("d-1", of: "u-1")
        var device = f.device("d-1", of: "u-1")
        device.brand = other
        #expect(try await f.register(device).ended.isEmpty)
        #expect(try await f.registrations("u-1").count == 1)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
    }

    static let unregisterAll = ContractCase("unregistering all ends the registrations and their waiting rows") {
        (f) async throws in
        let first = try await f.register("d-1", of: "u-1").registration.id
        let second = try await f.register("d-2", of: "u-1").registration.id
        try await f.register("d-3", of: "u-2")
        f.giveSlots(1)
        _ = try await f.accept(f.message("u-1"), f.proactive("u-1"))
        let change = try await f.change(f.unregister("u-1", .all)).unregisteredChange
        #expect(change == RegistrationsChange(ended: [first, second]))
        #expect(try await f.registrations("u-1").isEmpty)
        let records = try await f.deliveries()
        #expect(records.count == 4)
        #expect(records.allSatisfy { $0.state == .cancelled && $0.suppressedBy == .unregistered })
        #expect(try await f.claim().rows.isEmpty)
        #expect(try await f.accepted(f.proactive("u-1")).deliveries == 0)
        #expect(try await f.registrations("u-2").count == 1)
        // R95: the query still works.
        #expect(try await f.unread("u-1") == 1)
    }

    static let unregisterAgent = ContractCase("unregistering agents' pushes keeps proactive ones") { (f) async throws in
        let id = try await f.register("d-1", of: "u-1").registration.id
        try await f.register("d-2", of: "u-1")
        _ = try await f.accept(f.message("u-1"), f.proactive("u-1"))
        try await f.change(f.read("u-1", "c-1", 1, on: "d-2"))
        let change = try await f.change(f.unregister("u-1", device: "d-1", .agent)).unregisteredChange
        #expect(change == RegistrationsChange(narrowed: [id]))
        let waiting = try await f.claim().rows + f.claim(queue: .proactive(campaign: nil)).rows
        #expect(waiting.filter { $0.registration == id }.map(\.message?.kind) == [.proactive])
        // R195: the row says that its push must not carry the unread count.
        #expect(waiting.allSatisfy { $0.receivesAgents == ($0.registration != id) })
        #expect(try await f.registrations("u-1").map(\.receives) == [.proactive, .all])
        #expect(
            try await f.change(f.unregister("u-1", device: "d-1", .agent)).unregisteredChange == RegistrationsChange()
        )
        let accepted = try await f.accepted(f.message("u-1"))
        #expect(accepted.deliveries == 1 && accepted.unread == 1)
        #expect(try await f.accepted(f.proactive("u-1")).deliveries == 2)
        let cancelled = try await f.deliveries().filter { $0.suppressedBy == .unregisteredAgent }
        // The badge; the message was read before.
        #expect(cancelled.map(\.messageID) == [nil])
    }

    static let unregisterNone = ContractCase("unregistering nothing keeps everything") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        #expect(try await f.change(f.unregister("u-1", .none)).unregisteredChange == RegistrationsChange())
        #expect(try await f.claim().rows.count == 1)
    }

    static let unregisterOne = ContractCase("unregistering names a device, an app, or both") { (f) async throws in
        let other = AppID(trusted: "desk")
        _ = try await f.putApp(f.brand, other)
        let ids = [
            try await f.register("d-1", of: "u-1").registration.id,
            try await f.register(f.device("d-1", of: "u-1", token: "x", app: other)).registration.id,
            try await f.register("d-2", of: "u-1").registration.id,
            try await f.register(f.device("d-2", of: "u-1", token: "y", app: other)).registration.id,
        ]
        #expect(
            try await f.change(f.unregister("u-1", device: "d-1", app: other, .all)).unregisteredChange.ended == [
                ids[1]
            ]
        )
        #expect(
            try await f.change(f.unregister("u-1", device: "d-2", .all)).unregisteredChange.ended == [ids[2], ids[3]]
        )
        #expect(try await f.change(f.unregister("u-1", app: f.app, .all)).unregisteredChange.ended == [ids[0]])
    }

    static let unregisterUnknown = ContractCase("unregistering an unknown device does nothing") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        #expect(try await f.change(f.unregister("nobody", .all)).unregisteredChange == RegistrationsChange())
        #expect(
            try await f.change(f.unregister("u-1", device: "d-9", .all)).unregisteredChange == RegistrationsChange()
        )
        #expect(try await f.registrations("u-1").count == 1)
    }

    static let endedInTurnOfRow = ContractCase("a row that ends in the turn that created it goes to no lane") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        try await f.accepted(f.message("u-1"))
        _ = try await f.claim()
        f.giveSlots(5)
        let changes = [f.read("u-1", "c-1", 1, on: "d-2"), f.unregister("u-1", device: "d-1", .all)]
        let request = f.request([f.message("u-1"), f.readEvent("u-1", in: "c-1", .sequence(2))])
        let result = try await f.commit {
            $0.changes = changes
            $0.accepts = [request]
        }
        #expect(result.owned.map(\.kind) == [.badge])
        #expect(result.owned.map(\.unread) == [0])
        f.budgets = [:]
        let waiting = f.request([f.message("u-1"), f.readEvent("u-1", in: "c-1", .sequence(3))])
        let unowned = try await f.commit { $0.accepts = [waiting] }.unowned
        #expect(unowned == [f.agents(f.apns): f.now, LaneQueue(f.apns, .badge): f.now])
    }

    static let rotatedInTurnOfRow = ContractCase("a row is sent with the token at the end of its turn") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        f.giveSlots(5)
        let changes = [f.read("u-1", "c-1", 1), .register(f.device("d-1", of: "u-1", token: "newer"))]
        let result = try await f.commit { $0.changes = changes }
        #expect(result.owned.map(\.token) == ["newer"])
    }
}
