internal import HTTPTypes
internal import Hummingbird

/// The response to a request for a messaging window that is not a valid WebSocket upgrade.
enum WindowRoute {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/window") { try reject($0) }
        // LivePerson's path (ComingFromLivePerson page).
        routes.on(.get, "/ws_api/account/:brand/messaging/consumer", errors: .adaptor) { try reject($0) }
    }

    private static func reject(_ call: Call) throws(Problem) -> Response {
        try call.limitAddress()
        throw Problem(.invalidRequest, status: 426, "A messaging window is opened by WebSocket, version 13.")
    }
}
