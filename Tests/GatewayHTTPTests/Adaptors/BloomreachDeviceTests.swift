import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Bloomreach: devices, self-check and consents", .timeLimit(.minutes(10)))
struct BloomreachDeviceTests {
    private static func state(_ token: String, isValid: Bool = true, _ more: String = "") -> String {
        """
        {"push_notification_token":"\(token)","platform":"ios","valid":\(isValid),"description":"x",\
        "application_id":"ios","device_id":"d-1"\(more)}
        """
    }

    private static func devices(_ f: BloomreachFixture, _ consumer: String = "u-1") async throws -> [JSON] {
        try await f.api.call(.get, "/v1/brands/acme/consumers/\(consumer)/devices")["items"]?.items ?? []
    }

    @Test("a push token is registered for proactive messages, replaced and ended, and not published (R156, R157)")
    func registers() async throws {
        try await BloomreachFixture.with { f in
            try #require(try await f.api.call(.get, "/v1/brands/acme/outbound/reader").status == 200)
            #expect(try await f.event("notification_state", Self.state("aabbccdd")).status == 200)
            let first = try await Self.devices(f)
            #expect(first.map { $0["deviceId"]?.string } == ["d-1"])
            #expect(first.first?["receives"]?.items.map(\.string) == ["proactive"])
            // A changed token: first the old one is invalid, then there is a new one.
            #expect(try await f.event("notification_state", Self.state("aabbccdd", isValid: false)).status == 200)
            #expect(try await Self.devices(f).isEmpty)
            #expect(try await f.event("notification_state", Self.state("aabbccee")).status == 200)
            // The late report of the old one ends nothing.
            #expect(try await f.event("notification_state", Self.state("aabbccdd", isValid: false)).status == 200)
            #expect(try await Self.devices(f).count == 1)
            let items = try await f.feed()
            #expect(items.allSatisfy { $0["type"]?.string == "device.unregistered" })

            // A session's registration keeps what it receives.
            let session = try await f.api.makeSession("u-1", device: "d-1")
            #expect(try await f.api.register("d-1", as: session, token: "aabbccee").status == 200)
            #expect(try await f.event("notification_state", Self.state("aabbccff")).status == 200)
            #expect(try await Self.devices(f).first?["receives"]?.items.map(\.string) == ["agent", "proactive"])
            // Another customer gets the device only with its present token.
            let other = #"{"registered":"u-2"}"#
            try await f.event("notification_state", Self.state("aabbcc00"), of: other).expectBloomreach(409, "conflict")
            #expect(try await Self.devices(f).count == 1)
            #expect(try await f.event("notification_state", Self.state("aabbccff"), of: other).status == 200)
            #expect(try await Self.devices(f).isEmpty)
            #expect(try await Self.devices(f, "u-2").first?["receives"]?.items.map(\.string) == ["proactive"])
            for wrong in [
                #"{"platform":"ios"}"#, Self.state("not hex"), #"{"push_notification_token":"aa","platform":"x"}"#,
            ] {
                try await f.event("notification_state", wrong).expectBloomreach(400, "invalid_request")
            }
        }
    }

    @Test("push tokens among a customer's properties are registered and not stored (R156)")
    func properties() async throws {
        try await BloomreachFixture.with { f in
            let properties = #"{"apple_push_notification_id":"aabbccdd","plan":"gold"}"#
            #expect(try await f.customers(BloomreachFixture.customer, properties).status == 200)
            let device = try #require(try await Self.devices(f).first)
            #expect(device["deviceId"]?.string == device["tokenFingerprint"]?.string)
            let export = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1/export")
            #expect(try export.json()["properties"] == JSON(#"{"plan":"gold"}"#) && !export.text.contains("aabbccdd"))
            #expect(
                try await f.customers(BloomreachFixture.customer, #"{"apple_push_notification_id":null}"#).status == 200
            )
            #expect(try await Self.devices(f).isEmpty)
        }
    }

    @Test("a merge without proof carries no agents' messages to the devices of the anonymous consumer")
    func narrows() async throws {
        try await BloomreachFixture.with(#","anonymousConsumers":true"#) { f in
            let made = try await f.api.call(
                .post,
                "/v1/brands/acme/sessions",
                as: .none,
                #"{"grant":"anonymous","deviceId":"d-7"}"#
            )
            let session = Credential.bearer(try #require(made["sessionToken"]?.string))
            let cookie = try #require(made["consumer"]?["id"]?.string)
            #expect(try await f.api.register("d-7", as: session).status == 201)
            #expect(try await f.customers(#"{"registered":"u-1"}"#).status == 200)
            #expect(try await f.customers(#"{"registered":"u-1","cookie":"\#(cookie)"}"#).status == 200)
            let devices = try await Self.devices(f)
            #expect(devices.map { $0["receives"]?.items.map(\.string) } == [["proactive"]])
            let posted = try await f.api.post("evt-1")
            #expect(posted["deliveries"]?.int == 0)
            try await f.api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_invalid")
        }
    }

    @Test("the self-check sends a silent push and stores nothing (R139)")
    func selfCheck() async throws {
        try await BloomreachFixture.with { f in
            let before = try await f.api.dump()
            let path = "/campaigns/send-self-check-notification"
            func body(_ token: String, _ platform: String = "ios") -> String {
                """
                {"customer_ids":\(BloomreachFixture.customer),"platform":"\(platform)",\
                "push_notification_id":"\(token)"}
                """
            }
            let reply = try await f.post(path + "?project_id=acme", body("aabbccdd"))
            #expect(reply.status == 200 && reply.text == #"{"success":true}"#, "\(reply.text)")
            for wrong in [body("not hex"), body("aabbccdd", "android"), body("aabbccdd", "x"), "{}"] {
                try await f.post(path + "?project_id=acme", wrong).expectBloomreach(400, "invalid_request")
            }
            for query in ["", "?project_id=nowhere"] {
                try await f.post(path + query, body("aabbccdd")).expectBloomreach(400, "invalid_request")
            }
            #expect(try await f.api.dump() == before)
        }
    }

    @Test("pushes that need a consent are sent with it, and are no_consent in the delivery log without")
    func consents() async throws {
        try await BloomreachFixture.with { f in
            #expect(try await f.event("notification_state", Self.state("aabbccdd")).status == 200)
            func send(_ id: String, _ category: String) async throws -> JSON {
                let more = #","kind":"proactive","consentCategory":"\#(category)""#
                return try await f.api.post(id, more: more, type: "proactive.message")
            }
            func deliveries(_ message: String) async throws -> [JSON] {
                let path = "/v1/brands/acme/deliveries?message=\(message)"
                return try await f.api.call(.get, path)["items"]?.items ?? []
            }
            for (id, category) in [("evt-1", "newsletter"), ("evt-2", "unknown")] {
                let result = try await send(id, category)
                #expect(result["status"]?.string == "accepted" && result["deliveries"]?.int == 1)
                let found = try await deliveries(try #require(result["messageId"]?.string))
                #expect(found.map { $0["state"]?.string } == ["cancelled"])
                #expect(found.map { $0["suppressedBy"]?.string } == ["no_consent"])
            }
            // Those of legitimate interest, and those that the consumer accepts.
            for (id, category) in [("evt-3", "service"), ("evt-4", "newsletter")] {
                if category == "newsletter" {
                    let path = "/v1/brands/acme/consumers/u-1/consents/newsletter"
                    #expect(try await f.api.call(.put, path, #"{"granted":true}"#).status == 204)
                }
                let result = try await send(id, category)
                let message = try #require(result["messageId"]?.string)
                let path = "/v1/brands/acme/deliveries?message=\(message)"
                _ = try await f.api.until({ try await f.api.call(.get, path) }) { reply in
                    reply["items"]?[0]?["state"]?.string == "accepted"
                }
            }
            #expect(try await f.event("consent", #"{"category":"newsletter","action":"reject"}"#).status == 200)
            let consents = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1/consents")
            #expect(consents["consents"]?.items.map { $0["granted"]?.bool } == [false])
            let refused = try await send("evt-5", "newsletter")
            let found = try await deliveries(try #require(refused["messageId"]?.string))
            #expect(found.map { $0["suppressedBy"]?.string } == ["no_consent"])
            for wrong in [
                #"{"category":"unknown","action":"accept"}"#, #"{"category":"newsletter","action":"maybe"}"#,
                #"{"category":"newsletter","action":"accept","valid_until":"later"}"#, "{}",
            ] {
                try await f.event("consent", wrong).expectBloomreach(400, "invalid_request")
            }
        }
    }

    @Test("a back-end's consent needs a known consumer and a category of the brand")
    func backends() async throws {
        try await BloomreachFixture.with { f in
            #expect(try await f.customers().status == 200)
            let path = "/v1/brands/acme/consumers/u-1/consents/newsletter"
            let end = f.api.clock.now.adding(seconds: 3600).rfc3339
            #expect(try await f.api.call(.put, path, #"{"granted":true,"validUntil":"\#(end)"}"#).status == 204)
            let found = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1/consents")
            #expect(found["consents"]?[0]?["validUntil"]?.string == end)
            for other in ["u-1/consents/unknown", "nobody/consents/newsletter"] {
                let reply = try await f.api.call(.put, "/v1/brands/acme/consumers/\(other)", #"{"granted":true}"#)
                reply.expectProblem(404, "not_found")
            }
            try await f.api.call(.get, "/v1/brands/acme/consumers/nobody/consents").expectProblem(404, "not_found")
            let session = try await f.api.makeSession("u-1")
            try await f.api.call(.put, path, as: session, #"{"granted":true}"#).expectProblem(403, "forbidden")
        }
    }
}
