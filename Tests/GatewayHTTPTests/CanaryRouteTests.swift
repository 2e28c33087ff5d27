import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Canaries in the API", .timeLimit(.minutes(10)))
struct CanaryRouteTests {
    private static let app = "/v1/brands/acme/apps/ios"
    private static let lanes = "/v1/brands/acme/lanes"
    private static let token = "0123456789abcdef0123456789ABCDEF"

    private static func put(_ canary: String, more: String = "", _ api: API) async throws -> Reply {
        try await api.call(.put, app, #"{"platform":"ios","apns":\#(API.apns),"canary":\#(canary)\#(more)}"#)
    }

    private static func canary(_ token: String = token, more: String = "") -> String {
        #"{"token":"\#(token)","pushType":"apns","everySeconds":3600\#(more)}"#
    }

    /// Sends what is due; returns the number of pushes.
    private static func send(_ api: API) async -> Int {
        let attempts = api.canaries.takeDue()
        for attempt in attempts { await api.canaries.send(attempt) }
        return attempts.count
    }

    private static func status(_ api: API, lane: Int = 0) async throws -> JSON {
        try #require(try await api.call(.get, lanes).json()["items"]?[lane]?["canary"])
    }

    /// Runs a test with a brand that is made after the start.
    private static func with(
        _ transport: TestGateway.Transport = .router,
        _ test: @escaping @Sendable (API) async throws -> Void
    ) async throws {
        try await TestGateway.run(transport, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            try await test(api)
        }
    }

    @Test("a canary is stored sealed; answers have the fingerprint of its token, and a put without it removes it")
    func masked() async throws {
        try await Self.with { api in
            let put = try await Self.put(Self.canary(more: #","environment":"sandbox","expectReceipt":true"#), api)
            #expect(put.status == 200, "\(put.text)")
            let got = try await api.call(.get, Self.app)
            let canary = try #require(try got.json()["canary"])
            #expect(canary.names == ["tokenFingerprint", "pushType", "environment", "everySeconds", "expectReceipt"])
            #expect(canary["tokenFingerprint"]?.string?.count == 8 && canary["everySeconds"]?.int == 3600)
            #expect(canary["environment"]?.string == "sandbox" && canary["expectReceipt"]?.bool == true)
            let dump = try await api.dump().values.joined()
            for text in [put.text, got.text, dump] { #expect(!text.lowercased().contains(Self.token.lowercased())) }
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            #expect(trail[0]["changes"]?.items.contains(.string("canary.token")) == true)
            #expect(try await Self.put("null", api)["canary"] == nil)
            #expect(await Self.send(api) == 0)
        }
    }

    @Test(
        "a canary that could not work is an error at its member",
        arguments: [
            ("5", "", ["/canary"]), ("{}", "", ["/canary/pushType", "/canary/token", "/canary/everySeconds"]),
            (
                #"{"token":"x y","pushType":"fcm","environment":"sandbox","everySeconds":3599,"sound":1}"#, "",
                [
                    "/canary/sound", "/canary/token", "/canary/pushType", "/canary/environment", "/canary/everySeconds",
                ]
            ),
            (
                #"{"token":"abc","pushType":"apns","everySeconds":86401}"#, "",
                ["/canary/token", "/canary/everySeconds"]
            ),
            (#"{"token":"a","pushType":"webpush","everySeconds":3600}"#, "", ["/canary/pushType"]),
            (Self.canary(more: #","expectReceipt":true"#), #","dialect":"ujet""#, ["/canary/expectReceipt"]),
            (Self.canary(more: #","expectReceipt":true"#), #","dialect":"bloomreach""#, ["/canary/expectReceipt"]),
        ] as [(String, String, [String])]
    )
    func wrong(canary: String, more: String, pointers: [String]) async throws {
        try await Self.with { api in
            let reply = try await Self.put(canary, more: more, api)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == pointers, "\(reply.text)")
        }
    }

    @Test("a canary leaves once in its interval; its lane shows the verdict, and nothing is stored or counted")
    func accepted() async throws {
        try await Self.with { api in
            try #require(try await Self.put(Self.canary(), api).status == 200)
            let before = try await api.dump()
            let sent = api.clock.now
            #expect(await Self.send(api) == 1)
            #expect(await Self.send(api) == 0)
            let status = try await Self.status(api)
            #expect(status["condition"]?.string == "accepted" && status["outcome"]?.string == "accepted")
            #expect(status["attemptedAt"]?.string == sent.rfc3339 && status["acceptedAt"] == status["attemptedAt"])
            #expect(status["nextAttemptAt"]?.string == sent.adding(seconds: 3600).rfc3339)
            #expect(status["receivedAt"] == .null && status["reason"] == .null && status["status"]?.int == 200)
            #expect(
                status["sentence"]?.string == "Canary: the provider accepted the push of \(sent.rfc3339)."
            )
            let lanes = try #require(try await api.call(.get, Self.lanes).json()["items"]).items
            #expect(lanes[1]["canary"] == .null && lanes[0]["inFlight"]?.int == 0)
            #expect(try await api.dump() == before)
            #expect(try await api.call(.get, "/v1/brands/acme/deliveries")["items"]?.items.isEmpty == true)
            api.clock.advance(seconds: 3599)
            #expect(await Self.send(api) == 0)
            api.clock.advance(seconds: 1)
            #expect(await Self.send(api) == 1)
        }
    }

    @Test("a rejected canary leaves again when its app is put; one whose device is gone only when it is changed")
    func failing() async throws {
        try await Self.with { api in
            try #require(try await Self.put(Self.canary("bad0"), api).status == 200)
            for _ in 1...2 {
                #expect(await Self.send(api) == 1)
                let status = try await Self.status(api)
                #expect(status["condition"]?.string == "failing" && status["outcome"]?.string == "rejected")
                #expect(status["reason"]?.string == "TopicDisallowed" && status["acceptedAt"] == .null)
                #expect(status["sentence"]?.string?.contains("(TopicDisallowed)") == true)
                #expect(await Self.send(api) == 0)
                api.clock.advance(seconds: 60)
                try #require(try await Self.put(Self.canary("bad0"), api).status == 200)
            }
            try #require(try await Self.put(Self.canary("dead00"), api).status == 200)
            #expect(await Self.send(api) == 1)
            for _ in 1...2 {
                let status = try await Self.status(api)
                #expect(status["condition"]?.string == "gone" && status["nextAttemptAt"] == .null)
                api.clock.advance(seconds: 7200)
                try #require(try await Self.put(Self.canary("dead00"), api).status == 200)
                #expect(await Self.send(api) == 0)
            }
            // The lane does not stop, and the device's own registration is not touched.
            #expect(try await api.call(.get, Self.lanes)["items"]?[0]?["state"]?.string == "idle")
            try #require(try await Self.put(Self.canary(), api).status == 200)
            #expect(await Self.send(api) == 1)
            #expect(try await Self.status(api)["condition"]?.string == "accepted")
        }
    }

    @Test("the receipt of a canary is known by its lane only, and only to its brand")
    func receipts() async throws {
        try await Self.with { api in
            try await api.makeBrand("other")
            try #require(try await Self.put(Self.canary(more: #","expectReceipt":true"#), api).status == 200)
            let attempt = try #require(api.canaries.takeDue().first)
            await api.canaries.send(attempt)
            #expect(try await Self.status(api)["condition"]?.string == "accepted")
            api.clock.advance(seconds: 900)
            #expect(await Self.send(api) == 0)
            let missing = try await Self.status(api)
            #expect(missing["condition"]?.string == "no_receipt" && missing["receivedAt"] == .null)
            let body = """
                {"receipts":[{"messageId":"\(attempt.message)","deviceId":"d-1","state":"delivered",\
                "at":"\(api.clock.now.rfc3339)"}]}
                """
            let stranger = try await api.makeSession(brand: "other")
            let foreign = try await api.call(.post, "/v1/brands/other/receipts", as: stranger, body)
            #expect(foreign.status == 202 && foreign["recorded"]?.int == 0, "\(foreign.text)")
            let session = try await api.makeSession()
            let own = try await api.call(.post, "/v1/brands/acme/receipts", as: session, body)
            #expect(own["recorded"]?.int == 1 && own["results"]?[0]?["status"]?.string == "recorded", "\(own.text)")
            let status = try await Self.status(api)
            #expect(status["condition"]?.string == "accepted")
            #expect(status["receivedAt"]?.string == api.clock.now.rfc3339)
            let again = try await api.call(.post, "/v1/brands/acme/receipts", as: session, body)
            #expect(again["recorded"]?.int == 0)
        }
    }

    @Test("a paused lane sends no canary; and the console shows why")
    func paused() async throws {
        // An operator signs in over a connection only.
        try await Self.with(.live) { api in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let lane = Self.lanes + "/ios:apns:production"
            try #require(try await api.call(.post, lane + "/pause").status == 200)
            try #require(try await Self.put(Self.canary(), api).status == 200)
            #expect(await Self.send(api) == 0)
            #expect(try await Self.status(api)["condition"]?.string == "held")
            let page = try await api.open("/brands/acme/lanes", of: vera)
            page.expectPage(200)
            #expect(page.text.contains("<br>Canary: its push waits, because the lane sends nothing now."))
            try #require(try await api.call(.post, lane + "/resume").status == 200)
            #expect(await Self.send(api) == 0)
            api.clock.advance(seconds: 60)
            #expect(await Self.send(api) == 1)
            #expect(try await Self.status(api)["condition"]?.string == "accepted")
            // The app goes, and its canary with it.
            try #require(try await api.call(.delete, Self.app).status == 204)
            #expect(await Self.send(api) == 0 && api.canaries.all.isEmpty)
        }
    }
}
