internal import Delivery
internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// How a brand's objective is met (OperatorEvents page).
enum ObjectiveRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/objectives") { call in
            let brand = try await call.requireBackend(.deliveriesRead)
            let reports = ObjectiveReport.all(of: call.services.directory, call.services.delivery, brand: brand.id)
            // The brand itself comes first: no app's id begins so.
            let (items, next) = try call.page().page(of: reports) { $0.app?.rawValue ?? "!" }
            let (start, now) = (call.services.startedAt, call.services.clock.now)
            let isRecent = start > now.adding(seconds: -ObjectiveStatus.slowSeconds)
            return ResponseFactory.page(items, next: next) { $0.objective($1, countedSince: isRecent ? start : nil) }
        }
    }
}
