import GatewayModel
import GatewayStorage
import Identity
import Synchronization
import Testing

@Suite("Lanes that operators pause and pace, in the directory", .timeLimit(.minutes(10)))
struct LanePauseTests {
    @Test("a pause and a pace are reported to listeners, are there after a restart, and end with the app")
    func stored() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            _ = try await directory.putApp(
                brand: Gateway.acme,
                app: AppID(trusted: "ios"),
                settings: AppSettings(platform: .ios, apns: Gateway.apns)
            )
            let changes = Mutex<[[LaneID: Bool]]>([])
            directory.onChange { change in changes.withLock { $0.append(change.pausedLanes) } }
            let lane = try #require(directory.lanes(of: Gateway.acme).first)
            func set(_ isPaused: Bool) async throws -> DirectoryLane {
                try await directory.setLane(of: Gateway.acme, name: lane.key.name, isPaused: isPaused)
            }
            for _ in 1...2 { #expect(try await set(true).pausedSince != nil) }
            #expect(changes.withLock { $0 } == [[lane.id: true]])
            #expect(try await gateway.reloaded().pausedLanes == [lane.id])
            for _ in 1...2 { #expect(try await set(false).pausedSince == nil) }
            #expect(changes.withLock { $0 } == [[lane.id: true], [lane.id: false]])
            #expect(try await gateway.reloaded().pausedLanes.isEmpty)
            await #expect(throws: DirectoryError.notFound) {
                try await directory.setLane(of: Gateway.other, name: "none:apns:production", isPaused: true)
            }
            _ = try await set(true)
            let paces: [Int64?] = [100, 100, 20, nil]
            let paced = Mutex<[[LaneID: Int64?]]>([])
            directory.onChange { change in paced.withLock { $0.append(change.pacedLanes) } }
            for pace in paces {
                let changed = try await directory.setLane(
                    of: Gateway.acme,
                    name: lane.key.name,
                    pushesPerSecond: pace
                )
                #expect(changed.pushesPerSecond == pace && changed.pausedSince != nil)
                #expect(try await gateway.reloaded().lanePaces == (pace.map { [lane.id: $0] } ?? [:]))
            }
            let changed: [[LaneID: Int64?]] = [[lane.id: 100], [lane.id: 20], [lane.id: nil]]
            #expect(paced.withLock { $0 } == changed)
            await #expect(throws: DirectoryError.notFound) {
                try await directory.setLane(of: Gateway.other, name: "none:apns:production", pushesPerSecond: 1)
            }
            _ = try await directory.setLane(of: Gateway.acme, name: lane.key.name, pushesPerSecond: 5)
            try await directory.deleteApp(brand: Gateway.acme, app: lane.key.app)
            #expect(directory.pausedLanes.isEmpty && directory.lanePaces.isEmpty)
        }
    }
}
