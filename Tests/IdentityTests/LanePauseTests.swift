import GatewayModel
import GatewayStorage
import Identity
import Synchronization
import Testing

@Suite("Lanes that operators pause, in the directory", .timeLimit(.minutes(10)))
struct LanePauseTests {
    @Test("a pause is reported to listeners, is there after a restart, and ends with its app")
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
            try await directory.deleteApp(brand: Gateway.acme, app: lane.key.app)
            #expect(directory.pausedLanes.isEmpty)
        }
    }
}
