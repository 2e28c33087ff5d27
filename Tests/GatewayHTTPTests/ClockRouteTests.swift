import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The clock's routes", .timeLimit(.minutes(10)))
struct ClockRouteTests {
    private static let months: Int64 = 60 * 86_400

    @Test("a clock far ahead is shown, and named in readyz; an operator's confirmation ends that, and is in the trail")
    func accepted() async throws {
        try await TestGateway.run(clockAheadSeconds: Self.months) { api in
            try await api.makeBrand()
            let now = api.clock.now
            let shown = try await api.call(.get, "/v1/clock")
            #expect(shown.status == 200)
            let members: Set = ["systemTime", "gatewayTime", "newestStoredTime", "guardedUntil", "needsRestart"]
            #expect(try shown.json().names == members)
            #expect(shown["systemTime"]?.string == now.rfc3339 && shown["gatewayTime"]?.string == now.rfc3339)
            #expect(shown["newestStoredTime"]?.string == now.adding(seconds: -Self.months).rfc3339)
            #expect(shown["guardedUntil"]?.string == now.adding(seconds: 6 * 3600).rfc3339)
            let ready = try await api.call(.get, "/readyz")
            #expect(ready.status == 200 && ready["status"]?.string == "ready" && ready["clock"]?.string == "guarded")

            let account = try await api.makeAccount("acme", "brand:admin")
            for path in ["/v1/clock", "/v1/clock/accept"] {
                let refused = try await api.call(path == "/v1/clock" ? .get : .post, path, as: account)
                refused.expectProblem(403, "forbidden")
            }
            for _ in 1...2 {
                let accepted = try await api.call(.post, "/v1/clock/accept")
                #expect(accepted.status == 200 && accepted["guardedUntil"] == .null)
            }
            let after = try await api.call(.get, "/readyz")
            #expect(after["status"]?.string == "ready" && after["clock"] == nil)
            let trail = try #require(try await api.call(.get, "/v1/audit").json()["items"]).items
            let entries = trail.filter { $0["action"]?.string == "clock.accepted" }
            #expect(entries.count == 1)
            #expect(entries.first?["target"]?.string == now.rfc3339 && entries.first?["brand"] == .null)
            #expect(entries.first?["actor"]?["kind"]?.string == "admin")
        }
    }

    @Test("a clock that was set back since cannot be confirmed: the response asks for a restart")
    func setBack() async throws {
        try await TestGateway.run(clockAheadSeconds: Self.months) { api in
            api.clock.jump(seconds: -7200)
            #expect(try await api.call(.get, "/v1/clock")["needsRestart"] == .bool(true))
            let refused = try await api.call(.post, "/v1/clock/accept")
            refused.expectProblem(409, "conflict")
            #expect(try await api.call(.get, "/readyz")["clock"]?.string == "guarded")
        }
    }

    @Test("confirming a trusted clock does nothing")
    func trusted() async throws {
        try await TestGateway.run { api in
            let shown = try await api.call(.post, "/v1/clock/accept")
            #expect(shown.status == 200 && shown["guardedUntil"] == .null && shown["newestStoredTime"] == .null)
            #expect(try await api.call(.get, "/v1/audit").json()["items"]?.items.isEmpty == true)
            #expect(try await api.call(.get, "/readyz").text == #"{"status":"ready"}"#)
        }
    }
}
