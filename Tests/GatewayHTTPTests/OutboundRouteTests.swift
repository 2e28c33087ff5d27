import GatewayModel
import HTTPTypes
import Identity
import Outbound
import Testing

@testable import GatewayHTTP

@Suite("The outbound feed", .timeLimit(.minutes(10)))
struct OutboundRouteTests {
    private static let feed = "/v1/brands/acme/outbound/crm"

    private func positions(_ reply: Reply) -> [Int] { reply["items"]?.items.compactMap { $0["position"]?.int } ?? [] }

    @Test("a new subscription starts at the end or at the start; only an acknowledgement moves the mark")
    func reading() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let made = try await api.call(.get, Self.feed)
            #expect(made.text == #"{"items":[],"nextAfter":0,"end":0}"#)
            for number in 1...3 { try await api.post("e-\(number)", conversation: "c-\(number)") }
            for _ in 1...2 {
                let page = try await api.call(.get, Self.feed + "?limit=2")
                #expect(positions(page) == [1, 2] && page["nextAfter"]?.int == 2 && page["end"]?.int == 3)
                #expect(page["gap"] == nil)
            }
            let first = try #require(try await api.call(.get, Self.feed)["items"]?[0])
            #expect(first.names == ["position", "type", "time", "data"])
            #expect(first["type"]?.string == "conversation.opened")
            #expect(first["data"]?["conversation"]?.string == "c-1" && first["data"]?["consumer"]?.string == "u-1")
            #expect(try positions(await api.call(.get, Self.feed + "?after=2")) == [3])
            let ack = try await api.call(.post, Self.feed + "/ack", #"{"upTo":2}"#)
            #expect(ack.status == 200 && ack["position"]?.int == 2 && ack["lag"]?.int == 1)
            #expect(try positions(await api.call(.get, Self.feed)) == [3])
            #expect(try positions(await api.call(.get, Self.feed + "?after=0")) == [1, 2, 3])
            // The mark never moves back.
            #expect(try await api.call(.post, Self.feed + "/ack", #"{"upTo":1}"#)["position"]?.int == 2)
            #expect(try positions(await api.call(.get, "/v1/brands/acme/outbound/late")).isEmpty)
            #expect(try positions(await api.call(.get, "/v1/brands/acme/outbound/early?from=start")) == [1, 2, 3])
        }
    }

    @Test("a subscription belongs to the account that first read it, and others need events:manage")
    func owners() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let crm = try await api.makeAccount("acme", "events:read")
            let other = try await api.makeAccount("acme", "events:read", "events:write")
            let manager = try await api.makeAccount("acme", "events:read", "events:manage")
            guard case .basic(let crmID, _) = crm, case .basic(let otherID, _) = other else {
                Issue.record("a credential of another kind")
                return
            }
            func owner(_ name: String = "crm") async throws -> String? {
                let items = try await api.call(.get, "/v1/brands/acme/outbound", as: other)["items"]?.items ?? []
                return items.first { $0["id"]?.string == name }?["owner"]?.string
            }
            func refuse(_ credential: Credential) async throws {
                try await api.call(.get, Self.feed, as: credential).expectProblem(403, "forbidden")
                let ack = try await api.call(.post, Self.feed + "/ack", as: credential, #"{"upTo":0}"#)
                ack.expectProblem(403, "forbidden")
                try await api.call(.delete, Self.feed, as: credential).expectProblem(403, "forbidden")
            }
            func read(_ credential: Credential) async throws -> Int {
                try await api.call(.get, Self.feed, as: credential).status
            }
            func acknowledge(_ credential: Credential) async throws -> Int {
                try await api.call(.post, Self.feed + "/ack", as: credential, #"{"upTo":0}"#).status
            }
            #expect(try await read(crm) == 200)
            try await refuse(other)
            for reader in [crm, manager, .admin] {
                #expect(try await read(reader) == 200)
                #expect(try await acknowledge(reader) == 200)
            }
            #expect(try await owner() == crmID)
            // After its owner is deleted the next reader owns it, except a reader that manages all subscriptions.
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(crmID)").status == 204)
            for reader in [manager, .admin] { #expect(try await read(reader) == 200) }
            #expect(try await owner() == crmID)
            #expect(try await read(other) == 200)
            #expect(try await owner() == otherID)
            let late = try await api.makeAccount("acme", "events:read")
            try await refuse(late)
            #expect(try await api.call(.delete, Self.feed, as: other).status == 204)
            #expect(try await read(late) == 200)
            // A subscription that the administrator created belongs to the first account that reads it.
            #expect(try await api.call(.get, "/v1/brands/acme/outbound/new").status == 200)
            #expect(try await owner("new") == nil)
            #expect(try await api.call(.get, "/v1/brands/acme/outbound/new", as: manager).status == 200)
            #expect(try await owner("new") == nil)
            #expect(try await api.call(.get, "/v1/brands/acme/outbound/new", as: other).status == 200)
            #expect(try await owner("new") == otherID)
        }
    }

    @Test("a filter skips items of other types")
    func types() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await api.call(.get, Self.feed)
            try await api.post("e-1", conversation: "c-1")
            try await api.post("e-2", conversation: "c-1", type: "conversation.resolved")
            try await api.post("e-3", conversation: "c-2")
            let page = try await api.call(.get, Self.feed + "?types=conversation.resolved,message.tapped")
            #expect(positions(page) == [2] && page["nextAfter"]?.int == 3)
            let none = try await api.call(.get, Self.feed + "?types=consumer.message")
            #expect(positions(none).isEmpty && none["nextAfter"]?.int == 3)
        }
    }

    @Test("a waiting reader gets a response when something is committed")
    func longPoll() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await api.call(.get, Self.feed)
            async let waiting = api.call(.get, Self.feed + "?waitSeconds=60")
            try await api.readerWaits()
            try await api.post("e-1")
            let reply = try await waiting
            #expect(positions(reply) == [1])
        }
    }

    @Test("waiting readers are limited, and end when the gateway stops")
    func bounded() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await api.call(.get, Self.feed)
            async let waiting = api.call(.get, Self.feed + "?waitSeconds=60")
            try await api.readerWaits()
            // The test's notifier allows one waiting reader.
            try await api.call(.get, Self.feed + "?waitSeconds=60").expectProblem(503, "overloaded")
            api.outbound.notifier.close()
            let reply = try await waiting
            #expect(reply.status == 200 && positions(reply).isEmpty)
            #expect(try await api.call(.get, Self.feed + "?waitSeconds=60").status == 200)
        }
    }

    @Test("subscriptions are listed with their lag, limited in number and deleted")
    func subscriptions() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for number in 1...32 { _ = try await api.call(.get, "/v1/brands/acme/outbound/r-\(number)") }
            try await api.call(.get, "/v1/brands/acme/outbound/one-more").expectProblem(409, "conflict")
            try await api.post("e-1")
            let list = try await api.call(.get, "/v1/brands/acme/outbound?limit=2")
            #expect(list["items"]?.items.map { $0["id"]?.string } == ["r-1", "r-10"])
            #expect(list["items"]?[0]?["lag"]?.int == 1 && list["items"]?[0]?["position"]?.int == 0)
            #expect(list["items"]?[0]?["acknowledgedAt"] == .null && list["nextCursor"]?.string != nil)
            #expect(try await api.call(.delete, "/v1/brands/acme/outbound/r-1").status == 204)
            try await api.call(.delete, "/v1/brands/acme/outbound/r-1").expectProblem(404, "not_found")
            #expect(try await api.call(.get, "/v1/brands/acme/outbound/one-more").status == 200)
        }
    }

    @Test(
        "all invalid parameters are named at once",
        arguments: [
            ("?after=-1", ["/after"]), ("?after=x", ["/after"]), ("?after=5", ["/after"]),
            ("?after=9223372036854775808", ["/after"]),
            (
                "?limit=0&waitSeconds=61&types=a&from=middle&after=1.5",
                ["/after", "/from", "/limit", "/types", "/waitSeconds"]
            ),
            ("?limit=501", ["/limit"]), ("?waitSeconds=-1", ["/waitSeconds"]),
            ("?types=message.tapped,", ["/types"]), ("?types=message.tapped,x", ["/types"]), ("?from=1", ["/from"]),
            ("?limit=1&limit=2", ["/limit"]),
        ]
    )
    func wrongParameters(query: String, pointers: [String]) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reply = try await api.call(.get, Self.feed + query)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers.sorted() == pointers)
        }
    }

    @Test("an acknowledgement beyond the end is rejected")
    func wrongAcks() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await api.call(.get, Self.feed)
            let reply = try await api.call(.post, Self.feed + "/ack", #"{"upTo":1}"#)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == ["/upTo"])
        }
    }

    @Test("an invalid subscription name is rejected, an unknown one is 404")
    func names() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for name in ["a%20b", "a%2Fb", String(repeating: "x", count: 65)] {
                try await api.call(.get, "/v1/brands/acme/outbound/\(name)").expectProblem(422, "invalid_request")
            }
            try await api.call(.post, Self.feed + "/ack", #"{"upTo":0}"#).expectProblem(404, "not_found")
        }
    }

    @Test("only back-ends with events:read may read, of their own brand")
    func access() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let reader = try await api.makeAccount("acme", "events:read")
            let writer = try await api.makeAccount("acme", "events:write", "deliveries:read", "consumers:write")
            let stranger = try await api.makeAccount("other", "events:read")
            let session = try await api.makeSession()
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.get, Self.feed, nil), (.post, Self.feed + "/ack", #"{"upTo":0}"#),
                (.get, "/v1/brands/acme/outbound", nil), (.delete, Self.feed, nil),
            ]
            for (method, path, body) in calls {
                try await api.call(method, path, as: .none, body).expectProblem(401, "unauthorized")
                try await api.call(method, path, as: stranger, body).expectProblem(401, "unauthorized")
                try await api.call(method, path, as: writer, body).expectProblem(403, "forbidden")
                try await api.call(method, path, as: session, body).expectProblem(403, "forbidden")
                #expect(try await api.call(method, path, as: reader, body).status < 300)
                let unknown = path.replacing("/acme/", with: "/nobody/")
                try await api.call(method, unknown, body).expectProblem(404, "not_found")
            }
            try await api.call(.put, Self.feed).expectProblem(405, "method_not_allowed")
        }
    }
}
