import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("LivePerson's push proxy", .timeLimit(.minutes(10)))
struct LivePersonPushProxyTests {
    private static let path = "/v1/brands/acme/push-proxy"

    /// A brand with the adaptor on, two iPhones of one consumer, and the account of the platform.
    private struct Fixture: Sendable {
        let api: API
        let account: Credential

        static func with(
            limits: ServerLimits = ServerLimits(),
            _ test: @escaping @Sendable (Fixture) async throws -> Void
        ) async throws {
            try await TestGateway.run(limits: limits) { api in
                try await api.makeBrand(settings: #"{"wire":{"liveperson":true}}"#)
                let account = try await api.makeAccount("acme", "events:write")
                for (device, token) in [("d-1", "aabbccdd"), ("d-2", "aabbccee")] {
                    let session = try await api.makeSession("u-1", device: device)
                    try #require(try await api.register(device, as: session, token: token).status == 201)
                }
                try await test(Fixture(api: api, account: account))
            }
        }

        func push(_ body: String, as credential: Credential? = nil, headers: HTTPFields = [:]) async throws -> Reply {
            try await api.call(
                .post,
                LivePersonPushProxyTests.path,
                as: credential ?? account,
                body,
                headers: headers
            )
        }

        func deliveries() async throws -> [String] {
            let reply = try await api.call(.get, "/v1/brands/acme/deliveries")
            return reply["items"]?.items.compactMap { $0["deviceId"]?.string }.sorted() ?? []
        }

        func messages(_ conversation: String = "c-1") async throws -> [JSON] {
            let session = try await api.makeSession("u-1")
            let path = "/v1/brands/acme/messages?conversation=\(conversation)"
            return try await api.call(.get, path, as: session)["items"]?.items ?? []
        }
    }

    /// LivePerson's example of a push for APNs.
    private static func apns(
        _ token: String = "aabbccdd",
        sequence: String = "7",
        brand: String = "acme",
        service: String = "ams"
    ) -> String {
        """
        {"aps":{"alert":"Ana: hi","sound":"default"},"push-service":1,"device-token":"\(token)",\
        "backendService":"\(service)","conversationId":"c-1","dialogId":"c-1","originatorId":"8500.2001",\
        "brandId":"\(brand)","badge":3,"sequence":\(sequence),"notificationType":"apn"}
        """
    }

    @Test("a push becomes an agent's message, once, and is pushed to the named devices only, once each")
    func once() async throws {
        try await Fixture.with { f in
            let first = try await f.push(Self.apns())
            #expect(first.status == 200, "\(first.text)")
            #expect(first["deliveries"]?.int == 1)
            #expect(try await f.deliveries() == ["d-1"])
            // A resend after a lost response.
            for _ in 1...3 {
                let again = try await f.push(Self.apns())
                #expect(again.status == 200 && again["deliveries"]?.int == 0)
                #expect(again["messageId"] == first["messageId"])
            }
            // The same message for the other device, whose token may be written in capitals.
            let other = try await f.push(Self.apns("AABBCCEE"))
            #expect(other.status == 200 && other["deliveries"]?.int == 1, "\(other.text)")
            #expect(other["messageId"] == first["messageId"])
            #expect(try await f.push(Self.apns("aabbccee"))["deliveries"]?.int == 0)
            #expect(try await f.deliveries() == ["d-1", "d-2"])
            let messages = try await f.messages()
            #expect(messages.map { $0["text"]?.string } == ["Ana: hi"])
            #expect(messages.first?["agent"]?["id"]?.string == "8500.2001")
            let next = try await f.push(Self.apns(sequence: #""8""#))
            #expect(next["messageId"] != first["messageId"])
            #expect(try await f.deliveries() == ["d-1", "d-1", "d-2"])
            let session = try await f.api.makeSession("u-1")
            #expect(try await f.api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 2)
        }
    }

    private static let fcm = """
        {"serviceAccount":{"project_id":"p","private_key_id":"k","private_key":"x","client_email":"c@x.example",\
        "token_uri":"https://oauth2.googleapis.com/token"}}
        """

    @Test("the members of a map are an object or JSON text, and its tokens are FCM's")
    func map() async throws {
        try await Fixture.with { f in
            let app = #"{"platform":"ios","apns":\#(API.apns),"fcm":\#(Self.fcm)}"#
            try #require(try await f.api.call(.put, "/v1/brands/acme/apps/ios", app).status == 200)
            let session = try await f.api.makeSession("u-1", device: "d-3")
            let registered = try await f.api.call(
                .put,
                "/v1/brands/acme/apps/ios/devices/d-3",
                as: session,
                #"{"token":"fcm-token:1","pushType":"fcm","platform":"android"}"#
            )
            try #require(registered.status == 201, "\(registered.text)")
            let object = #"{"backendService":"ams","conversationId":"c-2","brandId":"acme","badge":3,"sequence":7}"#
            let text = object.replacing("\"", with: "\\\"").replacing("sequence\\\":7", with: "sequence\\\":\\\"8\\\"")
            for payload in [object, "\"\(text)\""] {
                let body = """
                    {"data":{"message":"hi","payload":\(payload)},"push-service":2,"device-token":"fcm-token:1",\
                    "notificationType":"gcm"}
                    """
                let reply = try await f.push(body)
                #expect(reply.status == 200 && reply["deliveries"]?.int == 1, "\(reply.text)")
                // Huawei's tokens are others.
                let huawei = body.replacing("service\":2", with: "service\":3").replacing("gcm", with: "huawei")
                try await f.push(huawei).expectEnvelope(403, "forbidden")
            }
            #expect(try await f.messages("c-2").count == 2)
        }
    }

    @Test("R113: proactive messages and C2M open no conversation, and their id stands for a sequence")
    func proactive() async throws {
        try await Fixture.with { f in
            for service in ["prmsg", "c2m"] {
                let body = """
                    {"aps":{"alert":{"title":"Acme","body":"Sale \(service)"}},"push-service":1,\
                    "device-token":"aabbccdd","backendService":"\(service)","brandId":"acme","id":"pm-\(service)"}
                    """
                #expect(try await f.push(body)["deliveries"]?.int == 1)
                #expect(try await f.push(body)["deliveries"]?.int == 0)
            }
            let session = try await f.api.makeSession("u-1")
            #expect(try await f.api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 0)
            let pending = try await f.api.call(.get, "/v1/brands/acme/proactive", as: session)
            #expect(pending["items"]?.items.count == 2, "\(pending.text)")
        }
    }

    @Test("401 for the key, 403 for the token, 400 for the envelope, and nothing is stored")
    func rejections() async throws {
        try await Fixture.with { f in
            let reader = try await f.api.makeAccount("acme", "events:read")
            try await f.api.makeBrand("other", settings: #"{"wire":{"liveperson":true}}"#)
            let stranger = try await f.api.makeAccount("other", "events:write")
            // After a logout of its agents' pushes the device receives proactive messages only.
            let session = try await f.api.makeSession("u-1", device: "d-2")
            let ended = try await f.api.call(
                .delete,
                "/v1/brands/acme/apps/ios/devices/d-2?unregister=agent",
                as: session
            )
            try #require(ended.status == 204)
            let before = try await f.api.dump()
            for credential in [Credential.none, .basic("nobody", "x"), stranger] {
                try await f.push(Self.apns(), as: credential).expectEnvelope(401, "unauthorized")
            }
            try await f.push(Self.apns(), as: reader).expectEnvelope(403, "forbidden")
            for body in [
                Self.apns("aabbcc00"), Self.apns("not hex"), Self.apns("aabbccee"), Self.apns(brand: "other"),
            ] {
                try await f.push(body).expectEnvelope(403, "forbidden")
            }
            for body in [
                "{}", "[]", "no json", Self.apns(service: "sms"), Self.apns(sequence: "-1"),
                Self.apns(sequence: "null"), Self.apns(sequence: #""x""#),
                Self.apns().replacing("\"Ana: hi\"", with: "{}"),
                Self.apns().replacing("\"push-service\":1", with: "\"push-service\":4"),
                #"{"push-service":2,"device-token":"t","data":{"message":"hi","payload":"[]"}}"#,
                #"{"push-service":2,"device-token":"t","data":{"payload":{}}}"#,
            ] {
                try await f.push(body).expectEnvelope(400, "invalid_request")
            }
            #expect(try await f.api.dump() == before)
            let off = try await f.api.call(.patch, "/v1/brands/acme", #"{"settings":{"wire":null}}"#)
            try #require(off.status == 200)
            try await f.push(Self.apns()).expectEnvelope(404, "not_found")
            try await f.push(Self.apns(), as: Credential.none).expectEnvelope(401, "unauthorized")
        }
    }

    @Test("a platform that exceeds its rate gets 503, after which it sends the push again")
    func limited() async throws {
        let limits = ServerLimits(rates: RateLimits(accountPerSecond: 1))
        try await Fixture.with(limits: limits) { f in
            for _ in 0..<5 { #expect(try await f.push(Self.apns()).status == 200) }
            let refused = try await f.push(Self.apns(sequence: "8"))
            refused.expectEnvelope(503, "overloaded")
            #expect(refused.headers[.retryAfter] != nil)
            #expect(try await f.messages().count == 1)
        }
    }

    @Test("a platform that sends headers of its own names the account in two of them")
    func headers() async throws {
        try await Fixture.with { f in
            let made = try await f.api.call(
                .post,
                "/v1/brands/acme/credentials",
                #"{"kind":"serviceAccount","name":"platform","scopes":["events:write"]}"#
            )
            let (id, secret) = (try #require(made["id"]?.string), try #require(made["secret"]?.string))
            // LivePerson's limits for custom headers.
            #expect(secret.utf8.count <= 300)
            #expect(HTTPField.Name.switchboardAccount.rawName.count <= 24)
            #expect(HTTPField.Name.switchboardSecret.rawName.count <= 24)
            let headers: HTTPFields = [.switchboardAccount: id, .switchboardSecret: secret]
            #expect(try await f.push(Self.apns(), as: Credential.none, headers: headers)["deliveries"]?.int == 1)
            let wrong: HTTPFields = [.switchboardAccount: id, .switchboardSecret: secret + "x"]
            try await f.push(Self.apns(), as: Credential.none, headers: wrong).expectEnvelope(401, "unauthorized")
            let half: HTTPFields = [.switchboardSecret: secret]
            try await f.push(Self.apns(), as: Credential.none, headers: half).expectEnvelope(401, "unauthorized")
        }
    }
}
