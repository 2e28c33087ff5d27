import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Lanes", .timeLimit(.minutes(10)))
struct LaneRouteTests {
    private static let members: Set<String> = [
        "id", "app", "provider", "environment", "state", "sentence", "nextTryAt", "cause", "depth", "isDepthWhole",
        "inFlight", "oldestQueuedAt", "oldestWaitSeconds", "pausedSince", "pushesPerSecond", "stoppedPlatforms",
        "canary",
    ]
    private static let path = "/v1/brands/acme/lanes"
    private static let lane = path + "/ios:apns:production"

    @Test("lanes are listed by name, with their state as a sentence")
    func list() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let reply = try await api.call(.get, Self.path, as: reader)
            let items = try #require(try reply.json()["items"]).items
            #expect(items.map { $0["id"]?.string } == ["ios:apns:production", "ios:apns:sandbox"])
            #expect(items[0].names == Self.members && items[0]["depth"]?.names == ["agent", "badge", "proactive"])
            #expect(items[0]["state"]?.string == "idle" && items[0]["cause"] == .null)
            #expect(items[0]["sentence"]?.string == "Nothing waits; pushes leave as they come.")
            #expect(items[0]["oldestQueuedAt"] == .null && items[0]["isDepthWhole"] == .bool(true))
            #expect(items[0]["canary"] == .null)
            let page = try await api.call(.get, Self.path + "?limit=1", as: reader)
            let cursor = try #require(page["nextCursor"]?.string)
            let rest = try await api.call(.get, Self.path + "?limit=1&cursor=\(cursor)", as: reader)
            #expect(try rest.json()["items"]?.items.map { $0["id"]?.string } == ["ios:apns:sandbox"])
            #expect(rest["nextCursor"] == .null)
            try await api.makeBrand("other")
            let stranger = try await api.makeAccount("other", "brand:admin")
            try await api.call(.get, Self.path, as: stranger).expectProblem(401, "unauthorized")
        }
    }

    @Test("a paused lane keeps its pushes until it is resumed; both are audited once")
    func pause() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let admin = try await api.makeAccount("acme", "brand:admin")
            let session = try await api.makeSession()
            #expect(try await api.register("d-1", as: session).status == 201)
            let since = api.clock.now.rfc3339
            for _ in 1...2 {
                let paused = try await api.call(.post, Self.lane + "/pause", as: admin)
                #expect(paused.status == 200 && paused["state"]?.string == "paused")
                #expect(paused["pausedSince"]?.string == since)
                #expect(paused["sentence"]?.string?.contains(since) == true)
            }
            try await api.post("1")
            api.clock.advance(seconds: 90)
            let deliveries = "/v1/brands/acme/deliveries?state="
            #expect(try await api.call(.get, deliveries + "pending").json()["items"]?.items.count == 1)
            let waiting = try #require(try await api.call(.get, Self.path).json()["items"]).items[0]
            #expect(waiting["depth"]?["agent"]?.int == 1 && waiting["depth"]?["badge"]?.int == 0)
            #expect(waiting["oldestQueuedAt"]?.string == since && waiting["oldestWaitSeconds"]?.int == 90)
            for _ in 1...2 {
                let resumed = try await api.call(.post, Self.lane + "/resume", as: admin)
                #expect(resumed.status == 200 && resumed["pausedSince"] == .null)
                #expect(resumed["state"]?.string != "paused")
            }
            _ = try await api.until {
                try await api.call(.get, deliveries + "accepted")
            } holds: {
                $0["items"]?.items.count == 1
            }
            let trail = try #require(try await api.call(.get, "/v1/brands/acme/audit").json()["items"]).items
            let entries = trail.filter { $0["action"]?.string?.hasPrefix("lane.") == true }
            #expect(entries.map { $0["action"]?.string } == ["lane.resumed", "lane.paused"])
            #expect(entries.allSatisfy { $0["target"]?.string == "ios:apns:production" })
            #expect(entries.first?["actor"]?["kind"]?.string == "serviceAccount")
        }
    }

    @Test("a pace is set, shown, kept to by the pushes, audited and removed")
    func pace() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let admin = try await api.makeAccount("acme", "brand:admin")
            let session = try await api.makeSession()
            #expect(try await api.register("d-1", as: session).status == 201)
            for _ in 1...2 {
                let paced = try await api.call(.post, Self.lane + "/pace", as: admin, #"{"pushesPerSecond":1}"#)
                #expect(paced.status == 200 && paced["pushesPerSecond"]?.int == 1)
                #expect(paced["sentence"]?.string?.contains("at most 1 a second") == true)
            }
            // The provider answers at once, and the clock stands still: one leaves.
            for event in ["1", "2", "3"] { try await api.post(event) }
            func accepted(_ count: Int) async throws {
                _ = try await api.until {
                    try await api.call(.get, "/v1/brands/acme/deliveries?state=accepted")
                } holds: {
                    $0["items"]?.items.count == count
                }
            }
            try await accepted(1)
            let lane = try #require(try await api.call(.get, Self.path).json()["items"]).items[0]
            #expect(lane["state"]?.string == "sending" && lane["depth"]?["agent"]?.int == 2)
            let removed = try await api.call(.post, Self.lane + "/pace", as: admin, #"{"pushesPerSecond":null}"#)
            #expect(removed.status == 200 && removed["pushesPerSecond"] == .null)
            try await accepted(3)
            let trail = try #require(try await api.call(.get, "/v1/brands/acme/audit").json()["items"]).items
            #expect(trail.count { $0["action"]?.string == "lane.paced" } == 2)
        }
    }

    @Test(
        "a pace that is none is rejected, and changes nothing",
        arguments: [
            "{}", #"{"pushesPerSecond":0}"#, #"{"pushesPerSecond":-1}"#, #"{"pushesPerSecond":100001}"#,
            #"{"pushesPerSecond":"5"}"#, #"{"pushesPerSecond":1.5}"#, #"{"pushesPerSecond":5,"x":1}"#,
        ]
    )
    func wrongPace(body: String) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let right = #"{"pushesPerSecond":7}"#
            #expect(try await api.call(.post, Self.lane + "/pace", right).status == 200)
            try await api.call(.post, Self.lane + "/pace", body).expectProblem(422, "invalid_request")
            #expect(try await api.call(.get, Self.path)["items"]?[0]?["pushesPerSecond"]?.int == 7)
            try await api.call(.post, Self.lane + "/pace", "[").expectProblem(400, "invalid_request")
        }
    }

    @Test("only a brand's administrator pauses and paces its lanes, and only its own")
    func refused() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let reader = try await api.makeAccount("acme", "deliveries:read", "consumers:write")
            let stranger = try await api.makeAccount("other", "brand:admin")
            for verb in ["/pause", "/resume", "/pace"] {
                let body = verb == "/pace" ? #"{"pushesPerSecond":1}"# : ""
                try await api.call(.post, Self.lane + verb, as: reader, body).expectProblem(403, "forbidden")
                try await api.call(.post, Self.lane + verb, as: stranger, body).expectProblem(401, "unauthorized")
                for name in ["ios:apns:staging", "ios", "1", "IOS:apns:production", "ios:apns:production%20"] {
                    let reply = try await api.call(.post, Self.path + "/" + name + verb, body)
                    reply.expectProblem(404, "not_found")
                }
            }
            #expect(try await api.call(.get, "/v1/brands/other/lanes")["items"]?[0]?["state"]?.string == "idle")
        }
    }

    @Test("a lane without a credential is closed, and can be paused")
    func closed() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let without = """
                {"platform":"ios","fcm":{"serviceAccount":{"project_id":"p","private_key_id":"k","private_key":"x",\
                "client_email":"e","token_uri":"https://t.example"}}}
                """
            #expect(try await api.call(.put, "/v1/brands/acme/apps/ios", without).status == 200)
            let items = try #require(try await api.call(.get, Self.path).json()["items"]).items
            let states = items.map { "\($0["id"]?.string ?? "") \($0["state"]?.string ?? "")" }
            #expect(states.contains("ios:apns:production closed") && states.contains("ios:fcm:production idle"))
            #expect(try await api.call(.post, Self.lane + "/pause")["state"]?.string == "paused")
            #expect(try await api.call(.post, Self.lane + "/resume")["state"]?.string == "closed")
            // A new app of the same name has new lanes.
            #expect(try await api.call(.post, Self.lane + "/pause").status == 200)
            #expect(try await api.call(.delete, "/v1/brands/acme/apps/ios").status == 204)
            try await api.call(.post, Self.lane + "/pause").expectProblem(404, "not_found")
            let app = #"{"platform":"ios","apns":\#(API.apns)}"#
            #expect(try await api.call(.put, "/v1/brands/acme/apps/ios", app).status == 201)
            #expect(try await api.call(.get, Self.path)["items"]?[0]?["state"]?.string == "idle")
        }
    }
}
