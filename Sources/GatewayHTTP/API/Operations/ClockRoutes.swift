internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The gateway's time, and an operator's confirmation that the system clock is right.
enum ClockRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/clock") { call in
            try await call.requireAdmin()
            return response(call.services.keeper.state)
        }
        routes.on(.post, "/v1/clock/accept") { call in
            try await call.requireAdmin()
            let keeper = call.services.keeper
            guard !keeper.state.needsRestart else {
                throw Problem(
                    .conflict,
                    "The system clock was set back since the start, so that the gateway's time is wrong: restart the gateway."
                )
            }
            let audit = try call.auditEntry(.clockAccepted, brand: nil, target: keeper.state.system.rfc3339)
            _ = try await call.read { _ throws(StorageError) in try await keeper.accept(audit) }
            return response(keeper.state)
        }
    }

    private static func response(_ state: ClockState) -> Response {
        ResponseFactory.object(.ok, capacity: 192) { writer in
            writer.member("systemTime", state.system)
            writer.member("gatewayTime", state.gateway)
            writer.member("newestStoredTime", orNull: state.newestStored)
            writer.member("guardedUntil", orNull: state.guardedUntil)
            writer.member("needsRestart", state.needsRestart)
        }
    }
}
