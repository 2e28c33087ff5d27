import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Campaigns", .timeLimit(.minutes(10)))
struct CampaignRouteTests {
    private static let path = "/v1/brands/acme/campaigns/"

    @Test("a campaign's statistics show the state of its messages")
    func counts() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            try #require(try await api.register("d-1", as: session).status == 201)
            let more = #","kind":"proactive","campaign":"spring sale/1""#
            let id = try #require(try await api.post("1", more: more, type: "proactive.message")["messageId"]?.string)
            try await api.post("2", consumer: "u-2", conversation: "c-2", more: more, type: "proactive.message")
            try await api.post("3")
            let campaign = try await api.until {
                try await api.call(.get, Self.path + "spring%20sale%2F1")
            } holds: {
                $0["byState"]?["accepted"]?.int == 1
            }
            #expect(campaign.status == 200 && campaign["campaign"]?.string == "spring sale/1")
            #expect(campaign["messages"]?.int == 2 && campaign["deliveries"]?.int == 1)
            #expect(campaign["unfinished"]?.int == 0 && campaign["byProvider"]?["apns"]?.int == 1)
            #expect(campaign["tapRate"]?.int == 0 && campaign["receipts"]?["displayed"]?.int == 0)
            let tap = "/v1/brands/acme/messages/\(id)/tap"
            #expect(try await api.call(.post, tap, as: session, #"{"deviceId":"d-1"}"#).status == 200)
            let tapped = try await api.call(.get, Self.path + "spring%20sale%2F1")
            #expect(tapped["tapRate"]?.int == 1 && tapped["tappedMessages"]?.int == 1)
            #expect(tapped["byState"] == .object(["tapped": .number(1)]))
        }
    }

    @Test("a caller that may not read deliveries may not read campaigns, and an unknown campaign is 404")
    func refused() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.call(.get, Self.path + "spring").expectProblem(404, "not_found")
            try await api.call(.get, Self.path + "%00").expectProblem(422, "invalid_request")
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, Self.path + "spring", as: writer).expectProblem(403, "forbidden")
            try await api.call(.get, Self.path + "spring", as: .none).expectProblem(401, "unauthorized")
        }
    }
    @Test("the campaigns of a brand are listed in pages, newest first")
    func list() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let path = "/v1/brands/acme/campaigns"
            #expect(try await api.call(.get, path).text == #"{"items":[],"nextCursor":null}"#)
            for (number, name) in ["a", "b", "c", "b", "a"].enumerated() {
                let more = #","kind":"c2m","campaign":"\#(name)""#
                try await api.post("\(number)", more: more, type: "proactive.message")
            }
            try await api.post(
                "o",
                more: #","kind":"c2m","campaign":"theirs""#,
                type: "proactive.message",
                brand: "other"
            )
            let backend = try await api.makeAccount("acme", "deliveries:read")
            var names: [String?] = []
            var query = "?limit=2"
            while true {
                let page = try await api.call(.get, path + query, as: backend)
                #expect(page.status == 200, "\(page.text)")
                for item in page["items"]?.items ?? [] {
                    names.append(item["campaign"]?.string)
                    let one = try await api.call(.get, "\(path)/\(item["campaign"]?.string ?? "")", as: backend)
                    #expect(try one.json() == item && item["messages"]?.int == (names.last == "c" ? 1 : 2))
                }
                guard let cursor = page["nextCursor"]?.string else { break }
                query = "?limit=2&cursor=\(cursor)"
            }
            #expect(names == ["c", "b", "a"])
            try await api.call(.get, path + "?cursor=x").expectProblem(422, "invalid_request")
            let other = try await api.makeAccount("other", "deliveries:read")
            try await api.call(.get, path, as: other).expectProblem(401, "unauthorized")
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, path, as: writer).expectProblem(403, "forbidden")
            try await api.call(.get, path, as: .none).expectProblem(401, "unauthorized")
        }
    }
}
