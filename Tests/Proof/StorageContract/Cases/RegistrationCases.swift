import GatewayModel
import GatewayStorage
import Testing

/// The registration, move and removal of devices (R71, R80-R82).
enum RegistrationCases {
    static let all = [
        wholeRegistration, laneChanges, narrowedToAgents, tooMany, unknownApp, otherBrand, unregisterOne,
        endedInTurnOfRow,
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

    static let laneChanges = ContractCase("a device with another lane is a new registration") { (f) async throws in
        let old = try await f.register("d-1", of: "u-1").registration
        try await f.accepted(f.message("u-1"))
        let change = try await f.register(f.device("d-1", of: "u-1", environment: .sandbox))
        #expect(change.ended == [old.id] && change.registration.lane != old.lane)
        #expect(try await f.claim(old.lane).rows.isEmpty)
        #expect(try await f.registrations("u-1").map(\.id) == [change.registration.id])
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
        let other = try await f.makeOtherBrand()
        try await f.register("d-1", of: "u-1")
        var device = f.device("d-1", of: "u-1")
        device.brand = other
        #expect(try await f.register(device).ended.isEmpty)
        #expect(try await f.registrations("u-1").count == 1)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
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
}
