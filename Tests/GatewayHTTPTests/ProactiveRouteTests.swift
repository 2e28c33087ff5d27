import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Pending proactive messages", .timeLimit(.minutes(10)))
struct ProactiveRouteTests {
    static let path = "/v1/brands/acme/proactive"

    @Test("pending messages are listed newest first, page by page, until their look-back is over (R114, R115)")
    func list() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            try await api.post("agent")
            var ids: [String] = []
            for (number, more) in [#""lookBackSeconds":60,"#, "", #""campaign":"spring","#].enumerated() {
                let made = try await api.post(
                    "p-\(number)",
                    more: "," + more + #""kind":"proactive""#,
                    type: "proactive.message"
                )
                ids.append(try #require(made["messageId"]?.string))
            }
            let all = try await api.call(.get, Self.path, as: session)
            #expect(all.status == 200)
            let items = try #require(try all.json()["items"]).items
            #expect(items.compactMap { $0["messageId"]?.string } == ids.reversed())
            #expect(items[0]["campaign"]?.string == "spring" && items[0]["lookBackUntil"] == nil)
            #expect(items[2]["lookBackUntil"]?.string != nil && items[2]["kind"]?.string == "proactive")
            let first = try await api.call(.get, Self.path + "?limit=2", as: session)
            let cursor = try #require(first["nextCursor"]?.string)
            let rest = try await api.call(.get, Self.path + "?limit=2&cursor=\(cursor)", as: session)
            #expect(try rest.json()["items"]?.items.compactMap { $0["messageId"]?.string } == [ids[0]])
            #expect(try rest.json()["nextCursor"] == .null)
            api.clock.advance(seconds: 61)
            let later = try await api.call(.get, Self.path + "?consumer=u-1")
            #expect(try later.json()["items"]?.items.compactMap { $0["messageId"]?.string } == [ids[2], ids[1]])
        }
    }

    @Test("other consumers' messages are not listed, and invalid pages are rejected")
    func refused() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            try await api.post("1", more: #","kind":"c2m""#, type: "proactive.message")
            let other = try await api.makeSession("u-2")
            #expect(try await api.call(.get, Self.path, as: other).json()["items"]?.items.isEmpty == true)
            try await api.call(.get, Self.path + "?consumer=u-1", as: other).expectProblem(403, "forbidden")
            for query in ["?limit=0", "?limit=501", "?cursor=nope"] {
                try await api.call(.get, Self.path + query, as: session).expectProblem(422, "invalid_request")
            }
            try await api.call(.get, Self.path, as: .none).expectProblem(401, "unauthorized")
        }
    }

    @Test("a tap with clearOthers leaves nothing pending; repeated, it has no effect")
    func clears() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            func propose(_ id: String) async throws -> String {
                let made = try await api.post(id, more: #","kind":"proactive""#, type: "proactive.message")
                return try #require(made["messageId"]?.string)
            }
            let first = try await propose("1")
            _ = try await propose("2")
            let tap = "/v1/brands/acme/messages/\(first)/tap"
            let wrong = try await api.call(.post, tap, as: session, #"{"deviceId":"d-1","clearOthers":"yes"}"#)
            wrong.expectProblem(422, "invalid_request")
            #expect(wrong.pointers == ["/clearOthers"])
            let body = #"{"deviceId":"d-1","clearOthers":true}"#
            let tapped = try await api.call(.post, tap, as: session, body)
            #expect(tapped["message"]?["messageId"]?.string == first)
            #expect(try await api.call(.get, Self.path, as: session).json()["items"]?.items.isEmpty == true)
            let since = try await propose("3")
            #expect(try await api.call(.post, tap, as: session, body).text == tapped.text)
            let pending = try await api.call(.get, Self.path, as: session).json()["items"]?.items
            #expect(pending?.compactMap { $0["messageId"]?.string } == [since])
        }
    }
}
