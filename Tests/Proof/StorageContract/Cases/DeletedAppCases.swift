import GatewayModel
import GatewayStorage
import Testing

/// The remaining rows of deleted apps.
enum DeletedAppCases {
    static let all = [goneAtOnce, pieces, crash, again, lateResponse, withItsBrand]

    /// Two devices of one consumer with three waiting messages each; another app's device gets them too.
    private static func fill(_ f: ContractFixture) async throws {
        _ = try await f.putApp(f.brand, AppID(trusted: "desk"))
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        try await f.register(f.device("d-3", of: "u-1", app: AppID(trusted: "desk")))
        f.giveSlots(0)
        for _ in 0..<3 { #expect(try await f.accepted(f.message("u-1")).deliveries == 3) }
    }

    private static func delete(_ f: ContractFixture) async throws {
        let lanes = try #require(try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil))
        #expect(lanes.count == 3 && lanes.contains(f.apns) && lanes.contains(f.fcm))
    }

    private static func states(_ f: ContractFixture, app: AppID) async throws -> [DeliveryState] {
        try await f.deliveries().filter { $0.app == app }.map(\.state)
    }

    static let goneAtOnce = ContractCase("a deleted app is gone at once, whatever rows remain") { (f) async throws in
        try await fill(f)
        f.giveSlots(9)
        let failed = try await f.claim(f.fcm, limit: 1).rows[0]
        try await f.outcome(f.response(failed, .rejected(token: .keep), status: 400, reason: "x"))
        try await delete(f)
        #expect(try await f.store.apps().map(\.id.rawValue) == ["desk"])
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-3"])
        #expect(try await f.store.registration(brand: f.brand, app: f.app, device: DeviceID(trusted: "d-1")) == nil)
        #expect(try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil) == nil)
        #expect(try await f.change(.register(f.device("d-1", of: "u-1"))).isNotFound)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
        let retry = RetryRequest(brand: f.brand, delivery: failed.id, ttlSeconds: 600)
        guard case .notRetried(.registrationGone) = try await f.change(.retry(retry)) else {
            throw Unexpected(what: "it was retried")
        }
        let backlog = try await f.restart().backlog
        #expect(backlog[f.agents(f.apns)] == nil && backlog[f.agents(f.fcm)] == nil && backlog.count == 1)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 1)
    }

    static let pieces = ContractCase("a deleted app's rows end in batches, and no others") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        try await fill(f)
        #expect(try await f.runHousekeeping(.deletedApps) == 0)
        try await delete(f)
        // Two registrations and six rows.
        #expect(try await f.runHousekeeping(.deletedApps, limit: 2) == 8)
        #expect(try await f.runHousekeeping(.deletedApps) == 0)
        #expect(try await states(f, app: f.app) == Array(repeating: .cancelled, count: 6))
        let ended = try await f.deliveries().filter { $0.app == f.app }
        #expect(ended.allSatisfy { $0.suppressedBy == .unregistered })
        #expect(try await states(f, app: AppID(trusted: "desk")) == Array(repeating: .pending, count: 3))
        let reported = try await f.items().filter { $0.type == .deviceUnregistered }.map(\.data.text)
        #expect(reported.count == 2 && reported.allSatisfy { $0.contains("app_deleted") })
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-3"])
    }

    static let crash = ContractCase("a start in the middle of the removal continues it") { (f) async throws in
        try await fill(f)
        try await delete(f)
        let batch = HousekeepingBatch(work: .deletedApps, now: f.now, limit: 2)
        #expect(try await f.store.runHousekeeping(batch).removed == 2)
        #expect(try await f.restart().backlog.keys.allSatisfy { $0.lane != f.apns && $0.lane != f.fcm })
        #expect(try await f.runHousekeeping(.deletedApps, limit: 2) == 6)
        #expect(try await states(f, app: f.app) == Array(repeating: .cancelled, count: 6))
    }

    static let again = ContractCase("an app created again loses no rows to the removal of the old one") {
        (f) async throws in
        try await fill(f)
        try await delete(f)
        #expect(try await f.putApp(f.brand, f.app))
        let lane = try await f.lane(f.brand, f.app, .apns)
        #expect(lane != f.apns)
        // The same device and token under another consumer, who need not prove a registration that is gone.
        try await f.open(f.session(1, "u-2"))
        var device = f.device("d-1", of: "u-2", token: "another")
        device.session = f.session(1, "u-2").tokenHash
        try await f.register(device)
        try await f.register(f.device("d-4", of: "u-1", token: "token-of-d-2", pushType: .fcm))
        #expect(try await f.accepted(f.message("u-2", in: "c-2")).deliveries == 1)
        #expect(try await f.accepted(f.message("u-1")).deliveries == 2)
        _ = try await f.runHousekeeping(.deletedApps, limit: 2)
        #expect(try await f.runHousekeeping(.deletedApps) == 0)
        #expect(try await f.registrations("u-2").map(\.device.rawValue) == ["d-1"])
        #expect(try await f.registrations("u-1").map(\.device.rawValue) == ["d-3", "d-4"])
        let states = try await states(f, app: f.app)
        #expect(states.count { $0 == .cancelled } == 6 && states.count { $0 == .pending } == 2)
        #expect(try await f.claim(lane).rows.map(\.token) == ["another"])
        // A second time too, before any row of the first is removed.
        #expect(try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil)?.contains(lane) == true)
        #expect(try await f.putApp(f.brand, f.app))
        #expect(try await f.registrations("u-2").isEmpty)
        #expect(try await f.runHousekeeping(.deletedApps, limit: 1) == 4)
    }

    static let lateResponse = ContractCase(
        "a response that comes after its app is deleted is stored, before and after its row ended"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let rows = [try await f.ownedRow(f.message("u-1")), try await f.ownedRow(f.message("u-1"))]
        _ = try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil)
        try await f.outcome(f.response(rows[0]))
        #expect(try await f.runHousekeeping(.deletedApps) == 2)
        try await f.outcome(f.response(rows[1]))
        #expect(try await f.deliveries().map(\.state) == [.accepted, .accepted])
    }

    static let withItsBrand = ContractCase("a brand that is deleted next includes the remaining rows") {
        (f) async throws in
        try await fill(f)
        try await delete(f)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        _ = try await f.runHousekeeping(.deletedBrands, limit: 3)
        #expect(try await f.runHousekeeping(.deletedApps) == 0)
        #expect(try await f.deliveries().isEmpty)
    }
}
