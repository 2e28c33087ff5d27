import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Search", .timeLimit(.minutes(10)))
struct SearchRouteTests {
    private static let path = "/v1/brands/acme/search?q="
    private static let token = String(repeating: "ab", count: 20)

    @Test("each name leads to what it is and to a URL that exists")
    func found() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let session = try await api.makeSession("u%201%2F2")
            #expect(try await api.register("d%2F1", as: session, token: Self.token).status == 201)
            let message = try #require(try await api.post("e-1", consumer: "u 1/2")["messageId"]?.string)
            let finished = try await api.until {
                try await api.call(.get, "/v1/brands/acme/deliveries?state=accepted")
            } holds: {
                $0["items"]?.items.count == 1
            }
            let delivery = try #require(finished["items"]?[0]?["id"]?.string)
            let cases = [
                (message, "message", "id"), ("u%201%2F2", "consumer", "id"), ("d%2F1", "device", "id"),
                (Self.token, "device", "token"), (delivery, "delivery", "id"),
                ("e-1&consumer=u%201%2F2", "message", "eventId"),
                ("p-\(delivery)&consumer=u%201%2F2", "delivery", "providerId"),
            ]
            for (query, kind, name) in cases {
                let reply = try await api.call(.get, Self.path + query, as: reader)
                let items = try #require(try reply.json()["items"]).items
                #expect(items.map { $0["kind"]?.string } == [kind], "\(query): \(reply.text)")
                #expect(items.first?["foundBy"]?.string == name && items.first?["consumer"]?.string == "u 1/2")
                let url = try #require(items.first?["url"]?.string)
                #expect(try await api.call(.get, url).status == 200, "\(url)")
                #expect(!reply.text.contains(Self.token), "a token is not returned")
            }
            let message1 = try await api.call(.get, "/v1/brands/acme/deliveries?message=\(message)", as: reader)
            #expect(message1["items"]?.items.count == 1)
        }
    }

    @Test("nothing is found by a part of a name, without the consumer where it is needed, or in another brand")
    func notFound() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let session = try await api.makeSession()
            #expect(try await api.register("d-1", as: session).status == 201)
            let message = try #require(try await api.post("e-1")["messageId"]?.string)
            for query in [
                "u-", "d-", "aabbccd", "e-1", "e-1&consumer=u-2", "e-1&consumer=u-1&source=crm", "007", "-1", "%25",
                "%27%20OR%201%3D1", "9223372036854775808",
            ] {
                let reply = try await api.call(.get, Self.path + query)
                #expect(reply.status == 200 && reply["items"]?.items.isEmpty == true, "\(query): \(reply.text)")
            }
            for query in [message, "u-1", "d-1", "aabbccdd", "1", "e-1&consumer=u-1"] {
                let reply = try await api.call(.get, "/v1/brands/other/search?q=" + query)
                #expect(reply["items"]?.items.isEmpty == true, "\(query): \(reply.text)")
            }
            for (query, pointer) in [
                ("", "/q"), ("%00", "/q"), ("%C2%85", "/q"), ("x&q=y", "/q"), ("x&consumer=", "/consumer"),
                ("x&source=%0A", "/source"), (String(repeating: "a", count: 4097), "/q"),
            ] {
                let refused = try await api.call(.get, Self.path + query)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == [pointer])
            }
            let missing = try await api.call(.get, "/v1/brands/acme/search")
            #expect(missing.pointers == ["/q"])
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, Self.path + "u-1", as: writer).expectProblem(403, "forbidden")
        }
    }
}
