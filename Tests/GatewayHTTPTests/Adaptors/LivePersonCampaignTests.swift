import Crypto
import Foundation
import GatewayModel
import GatewayStorage
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("LivePerson's campaigns", .timeLimit(.minutes(10)))
struct LivePersonCampaignTests {
    private static let path = "/api/v2/account/acme/campaign"
    /// The members of LivePerson's errors beside the gateway's.
    private static let others: Set<String> = ["code", "message"]
    private static let settings = """
        {"wire":{"liveperson":true},"engagements":[{"id":"2","campaignId":"c-7","entryPoints":["sec://sales"],\
        "skill":"sales"}],"campaignTemplates":{"H-1":"Hi {{1}}, welcome","plain":"Hello","big":"\(big)"}}
        """
    private static let big = String(repeating: "{{1}}", count: 1000)

    /// Runs a test with a brand that has the adaptor on, and an account that may send and read.
    private static func run(_ test: @escaping @Sendable (API, Credential) async throws -> Void) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand(settings: settings)
            try await test(api, try await api.makeAccount("acme", "events:write", "deliveries:read"))
        }
    }

    private static func recipient(_ id: String, _ variables: String? = #"{"1":"Ann"}"#) -> String {
        #"{"consumerContent":{"inapp":"\#(id)"}\#(variables.map { #","variables":\#($0)"# } ?? "")}"#
    }

    private static func body(
        _ consumers: String = Self.recipient("u-1"),
        template: String = "H-1",
        name: String = "spring",
        consent: String = "true"
    ) -> String {
        """
        {"campaignName":"\(name)","skill":"sales","templateId":"\(template)","outboundNumber":"1",\
        "consent":\(consent),"consumers":[\(consumers)]}
        """
    }

    @Test("R113 R206: each recipient gets a proactive message once, and no conversation is opened")
    func sent() async throws {
        try await Self.run { api, account in
            let session = try await api.makeSession("u-1", device: "d-1")
            try #require(try await api.register("d-1", as: session).status == 201)
            let body = Self.body(Self.recipient("u-1") + "," + Self.recipient("u-2", #"{"1":"Bo"}"#))
            let first = try await api.call(.post, Self.path, as: account, body)
            #expect(first.status == 200, "\(first.text)")
            #expect(
                try first.json().names == [
                    "proactiveCampaignId", "leCampaignId", "leEngagementId", "requestTraceId", "acceptedConsumers",
                    "failedConsumers",
                ]
            )
            #expect(first["leCampaignId"]?.string == "c-7" && first["leEngagementId"]?.string == "2")
            let accepted = first["acceptedConsumers"]?.items ?? []
            #expect(accepted.map { $0["consumerContent"]?["inapp"]?.string } == ["u-1", "u-2"])
            #expect(first["failedConsumers"] == .array([]))

            let again = try await api.call(.post, Self.path, as: account, body)
            #expect(again["acceptedConsumers"] == first["acceptedConsumers"])
            #expect(again["proactiveCampaignId"] == first["proactiveCampaignId"])
            let pending = try await api.call(.get, "/v1/brands/acme/proactive", as: session)
            #expect(pending["items"]?.items.map { $0["text"]?.string } == ["Hi Ann, welcome"])
            #expect(pending["items"]?[0]?["messageId"] == accepted.first?["id"])
            let id = try #require(first["proactiveCampaignId"]?.string)
            #expect(id.utf8.count == 42)
            let stats = try await api.call(.get, "/v1/brands/acme/campaigns/" + id.prefix(20))
            #expect(stats["messages"]?.int == 2 && stats["deliveries"]?.int == 1, "\(stats.text)")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 0)
            // An active conversation would be returned with 200.
            let opened = try await api.call(.post, "/v1/brands/acme/conversations", as: session, #"{"clientId":"o"}"#)
            #expect(opened.status == 201, "\(opened.text)")

            let other = try await api.call(.post, Self.path, as: account, Self.body(name: "summer"))
            #expect(other["acceptedConsumers"]?[0]?["id"] != accepted.first?["id"])
            let plain = Self.body(Self.recipient("u-1", nil), template: "plain")
            #expect(try await api.call(.post, Self.path, as: account, plain)["acceptedConsumers"]?.items.count == 1)
        }
    }

    @Test("a recipient with something wrong gets no message, with LivePerson's reason, and the others get theirs")
    func recipients() async throws {
        let long = String(repeating: "x", count: 16_384)
        let wrong: [(consumer: String, error: String)] = [
            (#"{"consumerContent":{}}"#, "MISSING_CONSUMER_INFORMATION==inapp"),
            (#"{"consumerContent":{"sms":"1","inapp":7}}"#, "MISSING_CONSUMER_INFORMATION==inapp"),
            (Self.recipient(""), "INVALID_NUMBER"), (Self.recipient("a\\u0000"), "INVALID_NUMBER"),
            (Self.recipient("u-1"), "DUPLICATE_NUMBER"), (Self.recipient("u-2", nil), "MISSING_VARIABLE=1"),
            (Self.recipient("u-3", #"{"2":"x"}"#), "MISSING_VARIABLE=1"),
            (Self.recipient("u-4", #"{"1":7}"#), "VARIABLE_NOT_STRING=1"),
            (Self.recipient("u-5", #"{"1":null}"#), "VARIABLE_NOT_STRING=1"),
            (Self.recipient("u-6", #"{"1":"x","2":"y"}"#), "TOO_MANY_VARIABLES"),
            (Self.recipient("u-7", #"{"1":"\#(long)"}"#), "INVALID_TEXT"),
            (Self.recipient("u-8", #"{"1":"\u0000"}"#), "INVALID_TEXT"),
        ]
        try await Self.run { api, account in
            let all = ([Self.recipient("u-1")] + wrong.map { $0.consumer }).joined(separator: ",")
            let reply = try await api.call(.post, Self.path, as: account, Self.body(all))
            #expect(reply.status == 200, "\(reply.text.prefix(1000))")
            #expect(reply["acceptedConsumers"]?.items.count == 1)
            let failed = reply["failedConsumers"]?.items ?? []
            #expect(failed.map { $0["errorMessage"]?.string } == wrong.map { Optional($0.error) })
            for (item, sent) in zip(failed, wrong) {
                let members = try JSON(sent.consumer)
                #expect(item["consumerContent"] == members["consumerContent"])
                #expect(item["variables"] == members["variables"])
            }
            #expect(try await api.call(.get, "/v1/brands/acme/consumers/u-2").status == 404)

            let nobody = Self.body(Self.recipient("u-9", nil))
            let none = try await api.call(.post, Self.path, as: account, nobody)
            #expect(none["acceptedConsumers"] == .array([]) && none["proactiveCampaignId"]?.string?.utf8.count == 20)
            // A placeholder that is repeated makes a text longer than a body may be.
            let much = Self.body(Self.recipient("u-9", #"{"1":"\#(long)"}"#), template: "big")
            let repeated = try await api.call(.post, Self.path, as: account, much)
            #expect(repeated["failedConsumers"]?[0]?["errorMessage"]?.string == "INVALID_TEXT")
        }
    }

    @Test("the state of each message is shown, of the brand's own campaigns alone")
    func status() async throws {
        try await Self.run { api, account in
            let session = try await api.makeSession("u-1", device: "d-1")
            try #require(try await api.register("d-1", as: session).status == 201)
            let body = Self.body(Self.recipient("u-1") + "," + Self.recipient("u-2"))
            let sent = try await api.call(.post, Self.path, as: account, body)
            let id = try #require(sent["proactiveCampaignId"]?.string)
            let path = Self.path + "/\(id)/conversations"
            let status = try await api.until {
                try await api.call(.get, path, as: account)
            } holds: {
                $0["campaignStatus"]?.string == "FINISHED"
            }
            let ids = (sent["acceptedConsumers"]?.items ?? []).map { $0["id"] }
            #expect(status["conversations"]?.items.map { $0["id"] } == ids)
            #expect(status["conversations"]?.items.map { $0["status"]?.string } == ["DELIVERED", "FAILED"])
            #expect(status["conversations"]?[0]?["errorMessage"] == .null)
            #expect(status["conversations"]?[1]?["errorMessage"]?.string == "NO_DEVICE")
            #expect(status["conversations"]?[1]?["conversationId"] == .null)

            try await api.makeBrand("other", settings: Self.settings)
            let stranger = try await api.makeAccount("other", "brand:admin")
            let foreign = path.replacing("/acme/", with: "/other/")
            try await api.call(.get, foreign, as: stranger).expectEnvelope(404, "not_found", besides: Self.others)
            try await api.call(.get, path, as: stranger).expectEnvelope(401, "unauthorized", besides: Self.others)
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.get, path, as: writer).expectEnvelope(403, "forbidden", besides: Self.others)
            let early = CampaignReference(
                campaign: String(id.prefix(20)),
                messages: [MessageID(high: 1, low: 0)]
            ).text
            for unknown in [String(id.prefix(20)), String(id.dropLast()), id + "A", "spring", "%00", early] {
                let reply = try await api.call(.get, Self.path + "/\(unknown)/conversations", as: account)
                reply.expectEnvelope(404, "not_found", besides: Self.others)
            }
        }
    }

    @Test("the words for the state of a message's deliveries")
    func words() {
        func record(
            _ state: DeliveryState,
            _ reason: String? = nil,
            _ suppressed: SuppressedBy? = nil
        ) -> DeliveryRecord {
            var record = DeliveryRecord(
                id: DeliveryID(1),
                messageID: nil,
                consumer: ConsumerID(trusted: "u"),
                device: DeviceID(trusted: "d"),
                app: AppID(trusted: "a"),
                provider: .apns,
                state: state,
                attempts: 0,
                queuedAt: Timestamp(milliseconds: 0)
            )
            record.reason = reason
            record.suppressedBy = suppressed
            return record
        }
        let table: [([DeliveryRecord], RecipientStatus)] = [
            ([], .failed("NO_DEVICE")), ([record(.failed, "BadTopic"), record(.tapped)], .delivered),
            ([record(.retrying), record(.accepted)], .delivered), ([record(.failed), record(.held)], .scheduled),
            ([record(.failed, "BadTopic"), record(.expired)], .failed("BadTopic")),
            ([record(.expired)], .failed("expired")),
            ([record(.cancelled, nil, .unregistered)], .skipped("unregistered")),
        ]
        for (records, status) in table { #expect(RecipientStatus(records) == status) }
        #expect(RecipientStatus.skipped("x").word == "SKIPPED" && RecipientStatus.scheduled.error == nil)
    }

    // MARK: Callers

    @Test("R188: a token of an issuer that is marked backend sends its brand's campaigns, and logs nobody in")
    func tokens() async throws {
        let key = P256.Signing.PrivateKey()
        let pem = key.publicKey.pemRepresentation.replacing("\n", with: "\\n")
        @Sendable func part(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        @Sendable func token(_ claims: String) throws -> Credential {
            let text = part(Data(#"{"alg":"ES256"}"#.utf8)) + "." + part(Data(claims.utf8))
            return .bearer(text + "." + part(try key.signature(for: Data(text.utf8)).rawRepresentation))
        }
        try await Self.run { api, _ in
            try await api.makeBrand("other", settings: Self.settings)
            func issuer(_ name: String, _ more: String) async throws -> Reply {
                try await api.call(
                    .post,
                    "/v1/brands/acme/credentials",
                    """
                    {"kind":"jwtIssuer","name":"\(name)","issuer":"https://\(name).example/","algorithm":"ES256",\
                    "publicKey":"\(pem)"\(more)}
                    """
                )
            }
            let made = try await issuer("platform", #","audience":"acc:1","backend":true"#)
            #expect(made.status == 201 && made["backend"]?.bool == true, "\(made.text)")
            let login = try await issuer("login", #","backend":false"#)
            #expect(login.status == 201 && login["backend"] == nil, "\(login.text)")
            let both = try await issuer("x", #","backend":true,"singleUse":true,"issuerDisplayName":"X""#)
            both.expectProblem(422, "invalid_request")
            #expect(both.pointers == ["/issuerDisplayName", "/singleUse"])

            func claims(_ iss: String = "platform", aud: String = "acc:1", age: Int64 = 0) -> String {
                let now = api.clock.now.seconds - age
                return """
                    {"iss":"https://\(iss).example/","aud":"\(aud)","sub":"u-1","iat":\(now),"exp":\(now + 600)}
                    """
            }
            let good = try token(claims().replacing(#""sub":"u-1","#, with: ""))
            let sent = try await api.call(.post, Self.path, as: good, Self.body())
            #expect(sent.status == 200, "\(sent.text)")
            let id = sent["proactiveCampaignId"]?.string ?? ""
            #expect(try await api.call(.get, Self.path + "/\(id)/conversations", as: good).status == 200)

            let old = try await api.call(.post, Self.path, as: try token(claims(age: 700)), Self.body())
            old.expectEnvelope(401, "token_expired", besides: Self.others)
            #expect(old["code"]?.int == 0 && old["message"]?.string == "jwt expired")
            for (wrong, reason) in [
                (claims(aud: "acc:2"), "wrong_audience"), ("{}", "missing_claim"),
                (#"{"iss":"https://platform.example/","aud":"acc:1"}"#, "missing_claim"),
                (claims("nobody"), "unknown_issuer"),
                (claims("login").replacing(#""aud":"acc:1","#, with: ""), "unknown_issuer"),
            ] {
                let refused = try await api.call(.post, Self.path, as: try token(wrong), Self.body())
                refused.expectEnvelope(401, "token_invalid", reason, besides: Self.others)
            }
            let foreign = Self.path.replacing("acme", with: "other")
            let elsewhere = try await api.call(.post, foreign, as: good, Self.body())
            elsewhere.expectEnvelope(401, "token_invalid", "unknown_issuer", besides: Self.others)
            // Neither other routes nor logins take it.
            #expect(try await api.call(.get, "/v1/brands/acme/deliveries", as: good).status == 401)
            guard case .bearer(let text) = try token(claims()) else { return }
            let grant = #"{"grant":"assertion","token":"\#(text)"}"#
            let session = try await api.call(.post, "/v1/brands/acme/sessions", as: .none, grant)
            #expect(session.status == 401 && session["reason"]?.string == "unknown_issuer", "\(session.text)")

            let credential = "/v1/brands/acme/credentials/" + (made["id"]?.string ?? "")
            #expect(try await api.call(.get, credential)["backend"]?.bool == true)
            try #require(try await api.call(.delete, credential).status == 204)
            let revoked = try await api.call(.post, Self.path, as: good, Self.body())
            revoked.expectEnvelope(401, "token_invalid", "revoked", besides: Self.others)
        }
    }

    @Test("what no recipient can get is rejected as a whole, and nothing is stored")
    func rejections() async throws {
        try await Self.run { api, account in
            let session = try await api.makeSession("u-1")
            let reader = try await api.makeAccount("acme", "deliveries:read")
            try await api.makeBrand("other", settings: Self.settings)
            let stranger = try await api.makeAccount("other", "events:write")
            let before = try await api.dump()
            let many = (0...1000).map { Self.recipient("n-\($0)") }.joined(separator: ",")
            for body in [
                "no json", "[]", "{}", Self.body(""), Self.body("7"), Self.body("{}"), Self.body(many),
                Self.body(#"{"consumerContent":"u-1"}"#), Self.body(Self.recipient("u-1", "[]")),
                Self.body(consent: "false"), Self.body(consent: "null"), Self.body(template: "h-1"),
                Self.body(template: "H-1\\u0301"), Self.body(name: ""),
                Self.body().replacing(#""consumers":["#, with: #""consumers":{},"x":["#),
            ] {
                let reply = try await api.call(.post, Self.path, as: account, body)
                reply.expectEnvelope(400, "invalid_request", besides: Self.others)
                #expect(reply["code"]?.int == 0 && reply["message"] == reply["error"]?["message"])
            }
            for credential in [Credential.none, .basic("nobody", "x"), stranger] {
                let reply = try await api.call(.post, Self.path, as: credential, Self.body())
                reply.expectEnvelope(401, "unauthorized", besides: Self.others)
            }
            for credential in [reader, session] {
                let reply = try await api.call(.post, Self.path, as: credential, Self.body())
                reply.expectEnvelope(403, "forbidden", besides: Self.others)
            }
            #expect(try await api.dump() == before)
            try #require(try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"wire":null}}"#).status == 200)
            let off = try await api.call(.post, Self.path, as: account, Self.body())
            off.expectEnvelope(404, "not_found", besides: Self.others)
        }
    }

    // MARK: The setting

    @Test("templates are returned as they were given, and wrong ones are named")
    func templates() async throws {
        try await Self.run { api, _ in
            func patch(_ templates: String) async throws -> Reply {
                try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"campaignTemplates":\#(templates)}}"#)
            }
            let given = #"{"666555567888":"Hello","a.b_c-D":"{{1}}{{name_2}} } {"}"#
            let set = try await patch(given)
            #expect(set["settings"]?["campaignTemplates"] == (try JSON(given)), "\(set.text)")
            let other = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"singleDevice":true}}"#)
            #expect(other["settings"]?["campaignTemplates"] == (try JSON(given)))
            let long = String(repeating: "x", count: 16_384)
            let five = (0..<5).map { #""t\#($0)":"\#(long)""# }.joined(separator: ",")
            let many = (0...100).map { #""t\#($0)":"x""# }.joined(separator: ",")
            let wrong: [(templates: String, pointer: String)] = [
                ("7", ""), ("[]", ""), ("{\(five)}", ""), ("{\(many)}", ""), (#"{"":"x"}"#, "/"),
                (#"{"a b":"x"}"#, "/a b"),
                (#"{"\#(String(repeating: "i", count: 33))":"x"}"#, "/" + String(repeating: "i", count: 33)),
                (#"{"a":""}"#, "/a"), (#"{"a":7}"#, "/a"), (#"{"a":null}"#, "/a"), (#"{"a":"x\#(long)"}"#, "/a"),
                (#"{"a":"{{}}"}"#, "/a"), (#"{"a":"{{1}"}"#, "/a"), (#"{"a":"{{a b}}"}"#, "/a"), (#"{"a":"{{"}"#, "/a"),
                (#"{"a":"{{{1}}}"}"#, "/a"), (#"{"a":"x{{é}}"}"#, "/a"),
            ]
            for (templates, pointer) in wrong {
                let reply = try await patch(templates)
                #expect(reply.status == 422, "\(templates.prefix(100))")
                #expect(reply.pointers == ["/settings/campaignTemplates" + pointer], "\(reply.text)")
            }
            #expect(try await patch("null")["settings"]?["campaignTemplates"] == .object([:]))
        }
    }
}
