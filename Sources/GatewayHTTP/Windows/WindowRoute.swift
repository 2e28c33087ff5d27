internal import HTTPTypes
internal import Hummingbird

/// What a request for a messaging window gets that does not ask for the WebSocket protocol as it should.
enum WindowRoute {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/window") { call in
            try call.limitAddress()
            throw Problem(.invalidRequest, status: 426, "A messaging window is opened by WebSocket, version 13.")
        }
    }
}
