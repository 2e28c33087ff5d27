import GatewayModel
import GatewayStorage
import Testing

/// Lanes as operators see and pause them.
enum LaneCases {
    static let all = [paused, paced, deleted, depths, many]

    private static func actions(_ f: ContractFixture) async throws -> [AuditAction] {
        try await f.store.audit(AuditQuery(brand: f.brand, limit: 100)).map(\.entry.action)
    }

    private static func entry(_ f: ContractFixture, _ action: AuditAction) -> AuditEntry {
        AuditEntry(brand: f.brand, at: f.now, actor: .admin, action: action, target: "shop:apns:production")
    }

    static let paused = ContractCase("a paused lane stays paused after a restart, and each change is audited once") {
        (f) async throws in
        #expect(try await f.store.pausedLanes().isEmpty)
        let since = f.now
        for isChange in [true, false] {
            let audit = entry(f, .lanePaused)
            #expect(try await f.store.pauseLane(f.apns, since: f.now, audit: audit) == isChange)
            f.wait(seconds: 1)
        }
        #expect(try await !f.store.pauseLane(LaneID(999), since: f.now, audit: entry(f, .lanePaused)))
        #expect(try await f.store.pausedLanes() == [f.apns: since])
        _ = try await f.restart()
        #expect(try await f.store.pausedLanes() == [f.apns: since])
        for isChange in [true, false] {
            #expect(try await f.store.pauseLane(f.apns, since: nil, audit: entry(f, .laneResumed)) == isChange)
        }
        #expect(try await f.store.pausedLanes().isEmpty)
        #expect(try await actions(f).prefix(2) == [.laneResumed, .lanePaused])
    }

    static let paced = ContractCase("a lane's pace is there after a restart, and each change is audited once") {
        (f) async throws in
        #expect(try await f.store.lanePaces().isEmpty)
        for (pace, isChange) in [(10, true), (10, false), (25, true)] as [(Int64, Bool)] {
            #expect(try await f.store.setPace(of: f.apns, perSecond: pace, audit: entry(f, .lanePaced)) == isChange)
        }
        #expect(try await f.store.setPace(of: f.fcm, perSecond: 1, audit: entry(f, .lanePaced)))
        #expect(try await !f.store.setPace(of: LaneID(999), perSecond: 1, audit: entry(f, .lanePaced)))
        _ = try await f.restart()
        #expect(try await f.store.lanePaces() == [f.apns: 25, f.fcm: 1])
        for isChange in [true, false] {
            #expect(try await f.store.setPace(of: f.apns, perSecond: nil, audit: entry(f, .lanePaced)) == isChange)
        }
        #expect(try await f.store.lanePaces() == [f.fcm: 1])
        #expect(try await actions(f).count { $0 == .lanePaced } == 4)
        _ = try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil)
        #expect(try await f.store.lanePaces().isEmpty)
    }

    static let deleted = ContractCase("a deleted app's lanes are paused no more, nor are its successor's") {
        (f) async throws in
        _ = try await f.store.pauseLane(f.apns, since: f.now, audit: nil)
        _ = try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil)
        #expect(try await f.store.pausedLanes().isEmpty)
        _ = try await f.putApp(f.brand, f.app)
        #expect(try await f.store.pausedLanes().isEmpty)
        let lane = try await f.lane(f.brand, f.app, .apns)
        _ = try await f.store.pauseLane(lane, since: f.now, audit: nil)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        #expect(try await f.store.pausedLanes().isEmpty)
    }

    static let depths = ContractCase("a lane's depth counts the waiting rows by class, and names the oldest") {
        (f) async throws in
        #expect(try await f.store.laneDepths([f.apns, LaneID(999)]) == [LaneDepth(), LaneDepth()])
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-2", pushType: .fcm))
        let first = f.now
        try await f.accepted(f.message("u-1"))
        f.wait(seconds: 1)
        let second = f.now
        try await f.accepted(f.message("u-1"))
        try await f.accepted(f.proactive("u-1"))
        f.wait(seconds: 1)
        let third = f.now
        try await f.accepted(f.message("u-2", in: "c-2"))
        var apns = LaneDepth()
        apns.rows = [.agent: 2, .proactive: 1]
        apns.oldestQueuedAt = first
        var fcm = LaneDepth()
        fcm.rows = [.agent: 1]
        fcm.oldestQueuedAt = third
        #expect(try await f.store.laneDepths([f.fcm, f.apns]) == [fcm, apns])
        // Rows in memory are not counted.
        #expect(try await f.claim(limit: 1).rows.count == 1)
        apns.rows[.agent] = 1
        apns.oldestQueuedAt = second
        #expect(try await f.store.laneDepths([f.apns]) == [apns])
    }

    static let many = ContractCase("where many lanes are read, fewer devices of each are counted, and it is marked") {
        (f) async throws in
        let devices = (1...101).map { f.device("d-\($0)", of: "u-\($0)") }
        try await f.commit { $0.changes = devices.map { .register($0) } }
        let request = f.request((1...101).map { f.message("u-\($0)") })
        try await f.commit { $0.accepts = [request] }
        let one = try await f.store.laneDepths([f.apns])
        #expect(one.map(\.rows) == [[.agent: 101]] && one.allSatisfy(\.isWhole))
        let all = try await f.store.laneDepths(Array(repeating: f.apns, count: 1000))
        #expect(all.count == 1000 && !all.contains { $0.isWhole || $0.rows[.agent] == nil })
    }
}
