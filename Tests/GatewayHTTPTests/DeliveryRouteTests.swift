import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Deliveries", .timeLimit(.minutes(10)))
struct DeliveryRouteTests {
    private static let members: Set<String> = [
        "id", "messageId", "consumer", "deviceId", "app", "provider", "state", "attempts", "providerId", "status",
        "reason", "queuedAt", "sentAt", "latencyMs", "tappedAt", "badge", "suppressedBy",
    ]

    @Test("R184: deliveries are listed newest first, filtered, paged, and returned with their attempts")
    func list() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let session = try await api.makeSession()
            _ = try await api.register("d-1", as: session)
            for id in ["1", "2", "3"] { try await api.post(id) }
            let path = "/v1/brands/acme/deliveries"
            // The tests' provider responds at once, but its outcomes are committed in a later transaction.
            let reply = try await api.until {
                try await api.call(.get, path + "?state=accepted", as: reader)
            } holds: {
                $0["items"]?.items.count == 3
            }
            let items = try #require(try reply.json()["items"]).items
            #expect(items[0].names == Self.members)
            let ids = items.compactMap { item -> Int? in item["id"]?.string.flatMap { Int($0) } }
            #expect(ids == ids.sorted(by: >))
            #expect(ids.count == 3)
            #expect(items[0]["deviceId"]?.string == "d-1")
            #expect(items[0]["provider"]?.string == "apns")
            #expect(items[0]["badge"]?.int == 3)
            #expect(items[0]["status"]?.int == 200)
            #expect(items[0]["attempts"]?.int == 1)
            let page = try await api.call(.get, path + "?limit=2", as: reader)
            let cursor = try #require(page["nextCursor"]?.string)
            let rest = try await api.call(.get, path + "?limit=2&cursor=\(cursor)", as: reader)
            #expect(try rest.json()["items"]?.items.count == 1)
            #expect(try rest.json()["nextCursor"] == .null)
            for (query, count) in [
                ("consumer=u-1", 3), ("consumer=u-2", 0), ("device=d-1", 3), ("provider=fcm", 0), ("state=failed", 0),
                ("since=2000-01-01T00:00:00Z", 3), ("until=2000-01-01T00:00:00Z", 0), ("reason=BadDeviceToken", 0),
            ] {
                let found = try await api.call(.get, path + "?" + query, as: reader)
                #expect(try found.json()["items"]?.items.count == count, "\(query)")
            }
            for bad in ["state=x", "provider=x", "message=x", "since=x", "until=x", "consumer=%00", "cursor=YQ"] {
                let refused = try await api.call(.get, path + "?" + bad, as: reader)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/" + bad.prefix { $0 != "=" }])
            }
            let id = try #require(items[0]["id"]?.string)
            let one = try await api.call(.get, path + "/" + id, as: reader)
            #expect(one["attemptLog"]?.items.count == 1)
            #expect(one["attemptLog"]?[0]?.names == ["number", "sentAt", "status", "reason", "latencyMs"])
            for unknown in ["999999", "0", "-1", "x"] {
                try await api.call(.get, path + "/" + unknown, as: reader).expectProblem(404, "not_found")
            }
            try await api.makeBrand("other")
            try await api.call(.get, "/v1/brands/other/deliveries/\(id)").expectProblem(404, "not_found")
        }
    }
}
