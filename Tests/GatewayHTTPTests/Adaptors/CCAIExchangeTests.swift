import GatewayModel
import HTTPTypes
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The CCAI exchange", .timeLimit(.minutes(10)))
struct CCAIExchangeTests {
    @Test("a signed token is exchanged for a session (R25); the same identifier is the same account (R27, R29)")
    func exchange() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(metrics: metrics) { api in
            try await api.makeWiredBrand()
            let token = api.token(api.claims(#","identifier":"u-1","email":"a@example.com""#))
            let made = try await api.exchange(token)
            #expect(made.status == 200, "\(made.text)")
            #expect(try made.json().names == ["auth_token", "expires_in", "end_user", "merged"])
            #expect(made["expires_in"]?.int == 3600)
            #expect(made["end_user"] == (try JSON(#"{"id":"u-1","anonymous":false}"#)))
            #expect(made.headers[.cacheControl] == "no-store")
            try await api.post("evt-1")
            // Another email, the same account (R29).
            let changed = try await api.exchange(api.token(api.claims(#","identifier":"u-1","email":"b@example.com""#)))
            for reply in [made, changed] {
                let session = Credential.bearer(try #require(reply["auth_token"]?.string))
                let unread = try await api.call(.get, "/v1/brands/acme/unread", as: session)
                #expect(unread["unread"]?.int == 1, "\(unread.text)")
            }
            let consumers = try #require(try await api.dump()["consumers"])
            #expect(consumers.contains("b@example.com") && !consumers.contains("a@example.com"))
        }
        #expect(metrics.value(#"switchboard_sessions_opened_total{grant="ccai"}"#) == 2)
    }

    /// An invalid token: the age of its claims, its other differences, and the expected response.
    struct Hostile: Sendable, CustomTestStringConvertible {
        var name: String
        var token: @Sendable (API) -> String
        var code: String
        var reason: String?
        var testDescription: String { name }

        static let all: [Hostile] = [
            Hostile(name: "forged", "token_invalid", "bad_signature") {
                $0.token($0.claims(user), key: String(repeating: "x", count: 64))
            },
            Hostile(name: "forged and expired", "token_invalid", "bad_signature") {
                $0.token($0.claims(user, age: 3600), key: String(repeating: "x", count: 64))
            },
            Hostile(name: "expired", "token_expired") { $0.token($0.claims(user, age: 3600)) },
            Hostile(name: "alg none", "token_invalid", "wrong_algorithm") {
                $0.token($0.claims(user), header: #"{"alg":"none"}"#)
            },
            Hostile(name: "another alg", "token_invalid", "wrong_algorithm") {
                $0.token($0.claims(user), header: #"{"alg":"HS512"}"#)
            },
            Hostile(name: "no iat", "token_invalid", "missing_claim") {
                $0.token(#"{"exp":\#($0.clock.now.seconds + 600)\#(user)}"#)
            },
            Hostile(name: "no exp", "token_invalid", "missing_claim") {
                $0.token(#"{"iat":\#($0.clock.now.seconds)\#(user)}"#)
            },
            Hostile(name: "iat as a text", "token_invalid", "malformed") {
                $0.token(#"{"iat":"now","exp":\#($0.clock.now.seconds + 600)\#(user)}"#)
            },
            Hostile(name: "made tomorrow", "token_invalid", "not_yet_valid") {
                $0.token($0.claims(user, age: -86_400))
            },
            Hostile(name: "a claim twice", "token_invalid", "malformed") {
                $0.token($0.claims(user + user))
            },
            Hostile(name: "no token", "token_invalid", "malformed") { _ in "no-token" },
            Hostile(name: "a signature too many", "token_invalid", "malformed") { $0.token($0.claims(user)) + ".x" },
            Hostile(name: "without its signature", "token_invalid", "bad_signature") {
                $0.token($0.claims(user)).split(separator: ".").prefix(2).joined(separator: ".") + "."
            },
        ]

        private static let user = #","identifier":"u-1""#

        init(name: String, _ code: String, _ reason: String? = nil, token: @escaping @Sendable (API) -> String) {
            self.name = name
            self.token = token
            self.code = code
            self.reason = reason
        }
    }

    @Test("the response distinguishes the errors of a token (R26)")
    func hostile() async throws {
        let log = CapturedLog()
        try await TestGateway.run(logger: log.logger) { api in
            try await api.makeWiredBrand()
            let before = try await api.dump()
            for hostile in Hostile.all {
                let token = hostile.token(api)
                let reply = try await api.exchange(token)
                #expect(reply["error"]?["code"]?.string == hostile.code, "\(hostile.name)")
                reply.expectEnvelope(401, hostile.code, hostile.reason)
                #expect(!reply.text.contains(token), "\(hostile.name)")
                #expect(!log.text.contains(token), "\(hostile.name)")
            }
            #expect(try await api.dump() == before, "something was stored")
            let good = try await api.exchange(api.token(api.claims(#","identifier":"u-secret""#)))
            let session = try #require(good["auth_token"]?.string)
            #expect(!log.text.contains(session) && !log.text.contains("u-secret"))
        }
    }

    @Test("an unknown key name is an invalid token, a missing name a missing credential")
    func keyNames() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let token = api.token(api.claims(#","identifier":"u-1","iss":"acme""#))
            try await api.exchange(token, keyName: "nobody").expectEnvelope(401, "token_invalid", "unknown_key")
            for name in [nil, ""] {
                try await api.exchange(body: "not json", keyName: name).expectEnvelope(401, "unauthorized")
            }
            // Only the key's name counts, whatever the token contains.
            try await api.makeWiredBrand("other")
            let other = try await api.exchange(token, keyName: "other")
            let session = Credential.bearer(try #require(other["auth_token"]?.string))
            #expect(try await api.call(.get, "/v1/brands/other/unread", as: session).status == 200)
            let elsewhere = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            elsewhere.expectProblem(401, "token_invalid")
        }
    }

    @Test("a key that is revoked, expired or deleted with its brand is rejected at once (R33)")
    func endedKeys() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let id = try await api.makeSDKKey(name: "revoked")
            let until = api.clock.now.adding(seconds: 60).rfc3339
            try await api.makeSDKKey(name: "short", #","expiresAt":"\#(until)""#)
            let token = api.token(api.claims(#","identifier":"u-1""#))
            let opened = try await api.exchange(token, keyName: "revoked")
            let session = Credential.bearer(try #require(opened["auth_token"]?.string))
            #expect(try await api.exchange(token, keyName: "short").status == 200)
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await api.exchange(token, keyName: "revoked").expectEnvelope(401, "token_invalid", "revoked")
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_invalid")
            api.clock.advance(seconds: 60)
            try await api.exchange(token, keyName: "short").expectEnvelope(401, "token_invalid", "revoked")
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            try await api.exchange(token, keyName: "acme").expectEnvelope(401, "token_invalid", "unknown_key")
        }
    }

    @Test("without an identifier the account is anonymous (R28), when the brand allows it")
    func anonymous() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let token = api.token(api.claims())
            try await api.exchange(token).expectEnvelope(403, "forbidden")
            // An unauthenticated caller does not learn what the brand allows.
            let forged = api.token(api.claims(), key: String(repeating: "x", count: 64))
            try await api.exchange(forged).expectEnvelope(401, "token_invalid", "bad_signature")
            try await api.makeWiredBrand("open", #","anonymousConsumers":true"#)
            let first = try await api.exchange(token, keyName: "open")
            let second = try await api.exchange(token, keyName: "open")
            #expect(first["end_user"]?["anonymous"]?.bool == true, "\(first.text)")
            #expect(first["end_user"]?["id"]?.string?.count == 36)
            #expect(first["end_user"]?["id"] != second["end_user"]?["id"])
        }
    }

    @Test("a login with an identifier and the anonymous account's token merges that account (R30)")
    func merge() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand("acme", #","anonymousConsumers":true"#)
            let anonymous = try await api.exchange(api.token(api.claims()), #","device_id":"d-1""#)
            let id = try #require(anonymous["end_user"]?["id"]?.string)
            try await api.post("evt-1", consumer: id)
            let named = try await api.exchange(
                api.token(api.claims(#","identifier":"u-1""#)),
                #","device_id":"d-1","anonymous_token":"\#(anonymous["auth_token"]?.string ?? "")""#
            )
            #expect(named["merged"]?.bool == true && anonymous["merged"]?.bool == false)
            let session = Credential.bearer(try #require(named["auth_token"]?.string))
            let unread = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(unread["unread"]?.int == 1, "\(unread.text)")
            let old = Credential.bearer(try #require(anonymous["auth_token"]?.string))
            try await api.call(.get, "/v1/brands/acme/unread", as: old).expectProblem(401, "token_invalid")
            // The session is the device's.
            try await api.register("d-2", as: session).expectProblem(403, "forbidden")
        }
    }

    @Test("a claim that cannot be used is 400 invalid_claim (R31); an empty one counts as absent")
    func claims() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let long = String(repeating: "x", count: 257)
            for (name, value) in [
                ("phone", #""12345""#), ("phone", #""+1234567890123456""#), ("phone", "15550100"),
                ("phone", #""+0123""#), ("name", "7"), ("email", "[]"), ("name", #""\#(long)""#),
                ("identifier", "7"), ("identifier", #""""#), ("identifier", #""\#(long)""#), ("push_token", "{}"),
            ] {
                let user = name == "identifier" ? "" : #","identifier":"u-1""#
                let reply = try await api.exchange(api.token(api.claims(user + #","\#(name)":\#(value)"#)))
                reply.expectEnvelope(400, "invalid_claim")
                #expect(reply["error"]?["message"]?.string?.contains(name) == true, "\(reply.text)")
            }
            let empty = #","identifier":"u-1","phone":"","name":null"#
            #expect(try await api.exchange(api.token(api.claims(empty))).status == 200)
            let phone = #","identifier":"u-1","phone":"+15550100""#
            #expect(try await api.exchange(api.token(api.claims(phone))).status == 200)
        }
    }

    @Test("a push token in the token registers the device that the exchange names (R32)")
    func pushToken() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let token = api.token(api.claims(#","identifier":"u-1","push_token":"aabbccdd""#))
            #expect(try await api.exchange(token, #","device_id":"d-1""#).status == 200)
            let device = try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d-1?consumer=u-1")
            #expect(device["state"]?.string == "active", "\(device.text)")
        }
    }

    /// The service account is not used: nothing is sent to FCM.
    private static let fcm =
        #""fcm":{"serviceAccount":{"project_id":"p","private_key_id":"k","private_key":"x","#
        + #""client_email":"a@example.com","token_uri":"https://oauth2.googleapis.com/token"}}"#

    @Test("R32: without device_id the token's fingerprint names the device, and the token's format the transport")
    func pushTokenAlone() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let both = #"{"platform":"ios","apns":\#(API.apns),\#(Self.fcm)}"#
            #expect(try await api.call(.put, "/v1/brands/acme/apps/ios", both).status == 200)
            func exchange(_ token: String, _ consumer: String = "u-1") async throws -> Reply {
                let claims = api.claims(#","identifier":"\#(consumer)","push_token":"\#(token)""#)
                let made = try await api.exchange(api.token(claims))
                #expect(made.status == 200, "\(made.text)")
                return made
            }
            func devices(_ consumer: String = "u-1") async throws -> [JSON] {
                try await api.call(.get, "/v1/brands/acme/consumers/\(consumer)/devices")["items"]?.items ?? []
            }
            // Twice, it is one device.
            for token in ["AABBCCDD", "aabbccdd"] { #expect(try await exchange(token)["warnings"] == nil) }
            let fingerprint = DeviceToken.fingerprint("aabbccdd")
            let first = try await devices()
            #expect(first.map { $0["deviceId"]?.string } == [fingerprint])
            #expect(first.map { $0["pushType"]?.string } == ["apns"])
            #expect(try await exchange("dT:APA91b-x")["warnings"] == nil)
            let kinds = try await devices().map { $0["pushType"]?.string }
            #expect(Set(kinds) == ["apns", "fcm"])
            // The next consumer with the token has the device, whose session acts for it.
            let made = try await exchange("aabbccdd", "u-2")
            #expect(try await devices("u-2").map { $0["deviceId"]?.string } == [fingerprint])
            let session = Credential.bearer(try #require(made["auth_token"]?.string))
            #expect(try await api.register(fingerprint, as: session).status == 200)
        }
    }

    @Test("R32: a push token leaves what the device stated of itself", arguments: ["", #","device_id":"d-1""#])
    func pushTokenOfRegistration(members: String) async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let stated = #","environment":"sandbox","receives":["agent"],"timeZone":"Europe/Berlin""#
            #expect(try await api.register("d-1", as: try await api.makeSession(), more: stated).status == 201)
            let token = api.token(api.claims(#","identifier":"u-1","push_token":"aabbccdd""#))
            #expect(try await api.exchange(token, members)["warnings"] == nil)
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")["items"]?.items ?? []
            #expect(devices.map { $0["deviceId"]?.string } == ["d-1"])
            #expect(devices.first?["environment"]?.string == "sandbox")
            #expect(devices.first?["receives"] == .array([.string("agent")]))
            #expect(devices.first?["timeZone"]?.string == "Europe/Berlin")
        }
    }

    @Test("R32: a push token that stays ambiguous is ignored with a warning, and the session is opened")
    func ambiguousPushToken() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            func exchange(_ token: String, keyName: String = "acme") async throws -> Reply {
                let claims = api.claims(#","identifier":"u-1","push_token":"\#(token)""#)
                let made = try await api.exchange(api.token(claims), keyName: keyName)
                #expect(made.status == 200 && made["auth_token"]?.string != nil, "\(made.text)")
                return made
            }
            let ignored = JSON.array([.string("push_token_ignored")])
            // No transport of the app has such tokens.
            #expect(try await exchange("not hex")["warnings"] == ignored)
            // The key is for all apps, and there are two.
            let second = #"{"platform":"ios","apns":\#(API.apns)}"#
            #expect(try await api.call(.put, "/v1/brands/acme/apps/second", second).status == 201)
            #expect(try await exchange("aabbccdd")["warnings"] == ignored)
            try await api.makeSDKKey(name: "second", #","app":"second""#)
            #expect(try await exchange("aabbccdd", keyName: "second")["warnings"] == nil)
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")["items"]?.items ?? []
            #expect(devices.map { $0["app"]?.string } == ["second"])
            // Apple's token, where the app has no access to APNs; FCM would only report it as unknown later.
            let google = #"{"platform":"android",\#(Self.fcm)}"#
            #expect(try await api.call(.put, "/v1/brands/acme/apps/google", google).status == 201)
            try await api.makeSDKKey(name: "google", #","app":"google""#)
            #expect(try await exchange("eeff0011", keyName: "google")["warnings"] == ignored)
            #expect(try await exchange("dT:APA91b-y", keyName: "google")["warnings"] == nil)
        }
    }

    @Test("a body without a token is 400")
    func bodies() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            for body in [
                "", "not json", "[]", "{}", #"{"token":""}"#, #"{"token":null}"#, #"{"token":7}"#,
                #"{"token":"a","token":"b"}"#, #"{"token":"a","device_id":""}"#, #"{"token":"a","device_id":7}"#,
                #"{"token":"a","anonymous_token":7}"#,
            ] {
                try await api.exchange(body: body).expectEnvelope(400, "invalid_request")
            }
        }
    }
}
