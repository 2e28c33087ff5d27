internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Lanes as operators see, pause, resume and pace them (Deliveries page).
enum LaneRoutes {
    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/lanes"
        routes.on(.get, path) { try await list($0) }
        routes.on(.post, path + "/:lane/pause") { try await set($0, isPaused: true) }
        routes.on(.post, path + "/:lane/resume") { try await set($0, isPaused: false) }
        routes.on(.post, path + "/:lane/pace") { try await setPace($0) }
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let (items, next) = try call.page().page(of: call.services.directory.lanes(of: brand.id)) { $0.key.name }
        let reports = try await reports(Array(items), call)
        return ResponseFactory.page(reports, next: next) { $0.lane($1) }
    }

    private static func set(_ call: Call, isPaused: Bool) async throws -> Response {
        let (brand, name) = try await lane(call)
        let origin = try call.origin()
        let lane = try await call.administer { directory throws(DirectoryError) in
            try await directory.setLane(of: brand, name: name, isPaused: isPaused, by: origin)
        }
        return try await response(lane, call)
    }

    private static func setPace(_ call: Call) async throws -> Response {
        let (brand, name) = try await lane(call)
        let body = try await call.object()
        var checks = FieldChecks()
        let member = body["pushesPerSecond"]
        // A body without it must not remove the pace.
        if !member.isNamed { checks.fail(member.pointer, "is required; null removes the pace") }
        let pace = checks.integer(member, in: DirectoryLane.paceRange)
        checks.rejectOthers(in: body, than: ["pushesPerSecond"])
        _ = try checks.finish(true)
        let origin = try call.origin()
        let lane = try await call.administer { directory throws(DirectoryError) in
            try await directory.setLane(of: brand, name: name, pushesPerSecond: pace, by: origin)
        }
        return try await response(lane, call)
    }

    /// Returns the brand and the name of the lane that a call changes.
    private static func lane(_ call: Call) async throws -> (brand: BrandID, name: String) {
        let brand = try await call.requireBackend(.deliveriesManage)
        let name = try call.segment("lane")
        guard call.services.directory.lane(of: brand.id, name: name) != nil else { throw Problem.notFound("lane") }
        return (brand.id, name)
    }

    private static func response(_ lane: DirectoryLane, _ call: Call) async throws -> Response {
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
