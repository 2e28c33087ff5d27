import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("The addresses that a tenant may configure", .timeLimit(.minutes(10)))
struct TenantTargetTests {
    private static let key = "SWITCHBOARD_OUTGOING_ALLOW_LOOPBACK"

    /// A service account that administers the brand.
    private func tenant(_ gateway: GatewayProcess) async throws -> APIClient {
        let account = try await gateway.admin.call(
            "POST",
            ["v1", "brands", "acme", "credentials"],
            body: ["kind": "serviceAccount", "name": "tenant", "scopes": ["brand:admin"]]
        )
        let (id, secret) = (account.body["id"].string, account.body["secret"].string)
        return APIClient(server: gateway.url, basic: "\(try #require(id)):\(try #require(secret))")
    }

    private func patch(_ client: APIClient, _ url: String) async throws -> Int {
        let body: JSONValue = ["settings": ["webhook": ["url": .string(url)]]]
        return try await client.exchange("PATCH", ["v1", "brands", "acme"], body: body).status
    }

    @Test("not the gateway's own port, which the system chose, by any of this host's names and addresses")
    func ownPort() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try await GatewayFixture.start(in: directory)
        let tenant = try await tenant(fixture.gateway)
        let port = fixture.gateway.port
        for host in ["127.0.0.1", "localhost", "127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"] {
            #expect(try await patch(tenant, "http://\(host):\(port)/livez") == 422, "\(host)")
            #expect(try await patch(fixture.gateway.admin, "http://\(host):\(port)/livez") == 422, "\(host)")
        }
        #expect(try await patch(tenant, "http://127.0.0.1:1/") == 200)
        let app = try JSONValue(parsing: Data(fixture.simulator.iOSApp(endpoint: "https://localhost:\(port)").utf8))
        #expect(try await tenant.exchange("PUT", fixture.path("apps", "ios"), body: app).status == 422)
    }

    @Test("this host only with the setting: a tenant's app reaches the simulator with it, and not without")
    func loopback() async throws {
        let directory = try TemporaryDirectory()
        var fixture = try await GatewayFixture.start(in: directory)
        var tenant = try await tenant(fixture.gateway)
        let check: JSONValue = ["token": .string(GatewayFixture.token), "pushType": "apns"]
        let admins = try await fixture.gateway.admin.call("GET", fixture.path("apps", "ios"))
        #expect(admins.body["endpointsBy"].string == "admin")
        let app = try fixture.simulator.iOSAppBody()
        let own = try await tenant.exchange("PUT", fixture.path("apps", "own"), body: app)
        #expect(own.status == 201 && own.body["endpointsBy"].string == "tenant")
        let good = try await tenant.call("POST", fixture.path("apps", "own", "self-check"), body: check)
        #expect(good.body["outcome"].string == "accepted")
        #expect(try await fixture.simulator.pushes(1).count == 1)

        _ = try await fixture.gateway.process.stop()
        fixture = try await fixture.restarted([Self.key: "false"])
        tenant = try await self.tenant(fixture.gateway)
        // The administrator's app with the same endpoints still works; its push is the only one that arrives.
        let closed = try await tenant.exchange("POST", fixture.path("apps", "own", "self-check"), body: check)
        #expect(closed.status == 409)
        #expect(!"\(closed.body)".contains("errno"))
        #expect(try await fixture.post("evt-1").status == 202)
        #expect(try await fixture.simulator.pushes(2).count == 2)
        #expect(try await patch(tenant, "http://127.0.0.1:1/") == 422)
    }
}
