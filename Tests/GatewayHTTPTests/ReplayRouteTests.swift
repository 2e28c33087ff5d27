import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Replays of failures", .timeLimit(.minutes(10)))
struct ReplayRouteTests {
    private static let deliveries = "/v1/brands/acme/deliveries"
    private static let path = deliveries + "/replay"

    /// Creates failed deliveries of a device that has a valid token now: of messages in these conversations.
    private static func fail(_ conversations: [String], _ api: API) async throws {
        let session = try await api.makeSession()
        try #require(try await api.register("d-1", as: session, token: "bad0").status == 201)
        for (index, conversation) in conversations.enumerated() {
            try await api.post("\(index + 1)", conversation: conversation)
            api.clock.advance(seconds: 1)
        }
        _ = try await api.until {
            try await api.call(.get, deliveries + "?state=failed")
        } holds: {
            $0["items"]?.items.count == conversations.count
        }
        try #require(try await api.register("d-1", as: session, token: "aabb").status < 300)
    }

    private static func failed(_ api: API) async throws -> Int? {
        try await api.call(.get, deliveries + "?state=failed")["items"]?.items.count
    }

    private static func replays(_ api: API) async throws -> [JSON] {
        let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
        return trail.filter { $0["action"]?.string == "deliveries.replayed" }
    }

    @Test("a dry run counts what would be sent and what not, and sends nothing")
    func dryRun() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let start = api.clock.now
            try await Self.fail(["c-1", "c-1", "c-2"], api)
            let read = try await api.call(
                .post,
                "/v1/brands/acme/conversations/c-1/read",
                as: try await api.makeSession(),
                #"{"upToSequence":1}"#
            )
            try #require(read.status == 200, "\(read.text)")
            for query in ["", "?dryRun=true", "?state=failed&app=ios&provider=apns&reason=TopicDisallowed"] {
                let reply = try await api.call(.post, Self.path + query)
                #expect(reply.status == 200 && reply["dryRun"] == .bool(true), "\(reply.text)")
                #expect(reply["examined"]?.int == 3 && reply["count"]?.int == 2 && reply["nextCursor"] == .null)
                let groups = try #require(reply["items"]).items
                #expect(groups.count == 1 && groups[0]["count"]?.int == 2 && groups[0]["app"]?.string == "ios")
                #expect(groups[0]["reason"]?.string == "TopicDisallowed" && groups[0]["status"]?.int == 400)
                let rejected = try #require(reply["rejected"]).items
                #expect(rejected.map { $0["reason"]?.string } == ["read"] && rejected[0]["count"]?.int == 1)
                let example = try await api.call(.get, Self.deliveries + "/\(rejected[0]["example"]?.string ?? "")")
                #expect(example["state"]?.string == "failed" && example["queuedAt"]?.string == start.rfc3339)
                #expect(reply["until"]?.string == api.clock.now.rfc3339)
                #expect(reply["since"]?.string == api.clock.now.adding(seconds: -86_400).rfc3339)
            }
            for query in [
                "app=other", "reason=x'--", "state=expired", "consumer=u-2", "until=\(start.rfc3339)",
                "since=\(start.adding(seconds: 9).rfc3339)",
            ] {
                let reply = try await api.call(.post, Self.path + "?" + query)
                #expect(reply.status == 200 && reply["count"]?.int == 0, "\(query): \(reply.text)")
                #expect(reply["rejected"]?.items.isEmpty == true, "\(query)")
            }
            #expect(try await Self.failed(api) == 3)
            #expect(try await Self.replays(api).isEmpty)
        }
    }

    @Test("a replay requeues page by page what can be sent again; each page is audited once")
    func replay() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let start = api.clock.now
            try await Self.fail(["c-1", "c-2", "c-3", "c-4", "c-5"], api)
            let admin = try await api.makeAccount("acme", "deliveries:manage", "deliveries:read")
            let period = (start, start.adding(seconds: 4))
            let query = "?dryRun=false&since=\(period.0.rfc3339)&until=\(period.1.rfc3339)"
            var (counts, cursor): ([Int?], String?) = ([], nil)
            repeat {
                let page = query + "&limit=3" + (cursor.map { "&cursor=\($0)" } ?? "")
                let reply = try await api.call(.post, Self.path + page, as: admin)
                #expect(reply.status == 200 && reply["dryRun"] == .bool(false), "\(reply.text)")
                counts.append(reply["count"]?.int)
                cursor = reply["nextCursor"]?.string
            } while cursor != nil
            #expect(counts == [3, 1])
            let accepted = try await api.until {
                try await api.call(.get, Self.deliveries + "?state=accepted")
            } holds: {
                $0["items"]?.items.count == 4
            }
            #expect(accepted["items"]?.items.allSatisfy { $0["attempts"]?.int == 2 } == true)
            #expect(try await Self.failed(api) == 1, "the one behind the period")
            let replays = try await Self.replays(api)
            let target = "\(period.0.rfc3339)/\(period.1.rfc3339)"
            #expect(replays.map { $0["target"]?.string } == [target, target])
            #expect(replays.allSatisfy { $0["actor"]?["kind"]?.string == "serviceAccount" })
            let again = try await api.call(.post, Self.path + query, as: admin)
            #expect(again["examined"]?.int == 0 && again["count"]?.int == 0)
            #expect(try await Self.replays(api).count == 2, "nothing was replayed")
        }
    }

    @Test("deliveries whose device is gone are counted with that reason, and stay")
    func rejected() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await Self.fail(["c-1", "c-2"], api)
            let device = "/v1/brands/acme/apps/ios/devices/d-1"
            try #require(try await api.call(.delete, device, as: try await api.makeSession()).status < 300)
            let reply = try await api.call(.post, Self.path + "?dryRun=false")
            #expect(reply["count"]?.int == 0 && reply["examined"]?.int == 2)
            #expect(reply["rejected"]?.items.map { $0["reason"]?.string } == ["unregistered"], "\(reply.text)")
            #expect(reply["rejected"]?[0]?["count"]?.int == 2)
            #expect(reply["rejected"]?[0]?["detail"]?.string?.hasSuffix("delivery's consumer.") == true)
            #expect(try await Self.failed(api) == 2)
            #expect(try await Self.replays(api).isEmpty)
        }
    }

    @Test("of thousands of failures a request handles a page, however many it asks for")
    func many() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await Self.fail(["c-1"], api)
            try await api.execute(
                """
                INSERT INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, attempts, status, \
                reason, queued_at, change) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) \
                SELECT id + i, brand, app, device, consumer, push_type, message, state, attempts, status, reason, \
                queued_at, change + i FROM delivery_log, n WHERE state = 'failed'
                """
            )
            let first = try await api.call(.post, Self.path + "?limit=100")
            #expect(first["examined"]?.int == 100 && first["count"]?.int == 100, "\(first.text)")
            let cursor = try #require(first["nextCursor"]?.string)
            let second = try await api.call(.post, Self.path + "?limit=100&cursor=\(cursor)")
            #expect(second["examined"]?.int == 100 && second["nextCursor"]?.string != nil, "\(second.text)")
            #expect(second["items"]?[0]?["example"] != first["items"]?[0]?["example"])
            #expect(try await api.call(.post, Self.path)["examined"]?.int == 50)
            for limit in ["101", "10000000", "0", "-1", "99999999999999999999"] {
                let reply = try await api.call(.post, Self.path + "?limit=\(limit)")
                #expect(reply.pointers == ["/limit"], "\(limit)")
            }
            // A cursor belongs to its filter, and whether it is a dry run is part of that.
            for query in ["dryRun=false", "app=ios", "reason=TopicDisallowed"] {
                let reply = try await api.call(.post, Self.path + "?\(query)&cursor=\(cursor)")
                #expect(reply.pointers == ["/cursor"], "\(query): \(reply.text)")
            }
            #expect(try await api.call(.post, Self.path + "?cursor=\(cursor)x").pointers == ["/cursor"])
            #expect(try await Self.replays(api).isEmpty)
        }
    }

    @Test("a replay is for those who may requeue, in their brand; wrong parameters are named")
    func access() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            try await Self.fail(["c-1"], api)
            let path = Self.path + "?dryRun=false"
            let reader = try await api.makeAccount("acme", "deliveries:read", "consumers:write", "events:write")
            try await api.call(.post, path, as: reader).expectProblem(403, "forbidden")
            try await api.call(.post, path, as: .none).expectProblem(401, "unauthorized")
            let foreign = try await api.makeAccount("other", "brand:admin")
            #expect(try await api.call(.post, path, as: foreign).status == 401)
            let other = try await api.call(.post, "/v1/brands/other/deliveries/replay?dryRun=false", as: foreign)
            #expect(other.status == 200 && other["examined"]?.int == 0)
            for (query, name) in [
                ("state=accepted", "state"), ("state=pending", "state"), ("state=x", "state"), ("dryRun=no", "dryRun"),
                ("dryRun=", "dryRun"), ("dryRun=false&dryRun=true", "dryRun"), ("app=a/b", "app"), ("since=x", "since"),
                ("until=x", "until"), ("reason=", "reason"), ("provider=sms", "provider"), ("message=x", "message"),
            ] {
                #expect(try await api.call(.post, Self.path + "?" + query).pointers == ["/\(name)"], "\(query)")
            }
            #expect(try await Self.failed(api) == 1)
        }
    }
}
