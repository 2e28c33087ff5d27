internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Lanes as operators see, pause and resume them (Deliveries page).
enum LaneRoutes {
    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/lanes"
        routes.on(.get, path) { try await list($0) }
        routes.on(.post, path + "/:lane/pause") { try await set($0, isPaused: true) }
        routes.on(.post, path + "/:lane/resume") { try await set($0, isPaused: false) }
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let (items, next) = try call.page().page(of: call.services.directory.lanes(of: brand.id)) { $0.key.name }
        let reports = try await reports(Array(items), call)
        return ResponseFactory.page(reports, next: next) { $0.lane($1) }
    }

    private static func set(_ call: Call, isPaused: Bool) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesManage)
        let name = try call.segment("lane")
        guard call.services.directory.lane(of: brand.id, name: name) != nil else { throw Problem.notFound("lane") }
        let origin = try call.origin()
        let lane = try await call.administer { directory throws(DirectoryError) in
            try await directory.setLane(of: brand.id, name: name, isPaused: isPaused, by: origin)
        }
        let reports = try await reports([lane], call)
        return ResponseFactory.json(.ok, capacity: 512) { writer in
            for report in reports { writer.lane(report) }
        }
    }

    private static func reports(_ lanes: [DirectoryLane], _ call: Call) async throws(Problem) -> [LaneReport] {
        let ids = lanes.map(\.id)
        let depths = try await call.read { store throws(StorageError) in try await store.laneDepths(ids) }
        let now = call.services.clock.now
        return zip(lanes, zip(call.services.delivery.status(of: ids), depths)).map { lane, found in
            LaneReport(lane, found.0, found.1, canary: call.services.canaries.status(of: lane.key), now: now)
        }
    }
}
