import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("gorush's push call", .timeLimit(.minutes(10)))
struct GorushRouteTests {
    private static let path = "/api/push"

    /// A brand with the adaptor on, two iPhones of one consumer, and the account of a back-end.
    private struct Fixture: Sendable {
        let api: API
        let account: Credential

        static func with(_ test: @escaping @Sendable (Fixture) async throws -> Void) async throws {
            try await TestGateway.run { api in
                try await api.makeBrand(settings: #"{"wire":{"gorush":true}}"#)
                let account = try await api.makeAccount("acme", "events:write")
                for (device, token) in [("d-1", "aabbccdd"), ("d-2", "aabbccee")] {
                    let session = try await api.makeSession("u-1", device: device)
                    try #require(try await api.register(device, as: session, token: token).status == 201)
                }
                try await test(Fixture(api: api, account: account))
            }
        }

        /// Posts as `curl -d` does, which says that the body is a form.
        func push(
            _ notifications: String...,
            as credential: Credential? = nil,
            headers: HTTPFields = [:]
        ) async throws -> Reply {
            let body = #"{"notifications":[\#(notifications.joined(separator: ","))]}"#
            return try await post(body, as: credential, headers: headers)
        }

        func post(
            _ body: String,
            as credential: Credential? = nil,
            headers: HTTPFields = [:]
        ) async throws -> Reply {
            try await api.call(
                .post,
                GorushRouteTests.path,
                as: credential ?? account,
                body,
                type: "application/x-www-form-urlencoded",
                headers: headers
            )
        }

        /// The devices of the deliveries.
        func deliveries() async throws -> [String] {
            let reply = try await api.call(.get, "/v1/brands/acme/deliveries")
            return reply["items"]?.items.compactMap { $0["deviceId"]?.string }.sorted() ?? []
        }

        /// The items of a list of the consumer.
        func items(_ path: String, of consumer: String = "u-1") async throws -> [JSON] {
            let session = try await api.makeSession(consumer)
            return try await api.call(.get, "/v1/brands/acme/\(path)", as: session)["items"]?.items ?? []
        }
    }

    /// gorush's example of a notification for iOS.
    private static func ios(_ tokens: String..., more: String = "") -> String {
        let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"tokens":[\#(list)],"platform":1,"message":"Hello World iOS!"\#(more)}"#
    }

    @Test("gorush's example is a proactive message, pushed to each token; a request without an id is a new one")
    func example() async throws {
        try await Fixture.with { f in
            let first = try await f.push(Self.ios("aabbccdd", "AABBCCEE"))
            #expect(first.status == 200)
            #expect(first.text == #"{"success":"ok","counts":2,"logs":[]}"#)
            #expect(try await f.deliveries() == ["d-1", "d-2"])
            #expect(try await f.items("proactive").map { $0["text"]?.string } == ["Hello World iOS!"])
            let session = try await f.api.makeSession("u-1")
            #expect(try await f.api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 0)
            // A token that is named twice gets one push.
            #expect(try await f.push(Self.ios("aabbccdd", "aabbccdd"))["counts"]?.int == 2)
            #expect(try await f.deliveries() == ["d-1", "d-1", "d-2"])
            #expect(try await f.items("proactive").count == 2)
            let headers: HTTPFields = [.idempotencyKey: "once"]
            for _ in 0..<2 {
                #expect(try await f.push(Self.ios("aabbccdd"), headers: headers).text.contains(#""counts":1"#))
            }
            #expect(try await f.items("proactive").count == 3)
        }
    }

    @Test("a thread is a conversation, and a notification with an id is pushed once to each token")
    func identified() async throws {
        try await Fixture.with { f in
            let more = """
                ,"title":"","alert":{"title":"Ana"},"notif_id":"n-1","thread-id":"t-1","sound":{"name":"default"},\
                "data":{"key2":2.5,"key1":"welcome"},"priority":"normal","badge":9,"expiration":1,"retry":3
                """
            let both = [Self.ios("aabbccdd", more: more), Self.ios("aabbccee", more: more)]
            for _ in 0..<2 {
                #expect(try await f.push(both[0], both[1])["counts"]?.int == 2)
                #expect(try await f.deliveries() == ["d-1", "d-2"])
            }
            let messages = try await f.items("messages?conversation=t-1")
            #expect(messages.map { $0["text"]?.string } == ["Hello World iOS!"])
            #expect(messages.first?["title"]?.string == "Ana")
            #expect(messages.first?["data"]?["key1"]?.string == "welcome")
            #expect(messages.first?["data"]?["key2"] == .number(2.5))
            let session = try await f.api.makeSession("u-1")
            #expect(try await f.api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 1)
        }
    }

    @Test("what cannot be pushed is in the logs, and the rest is pushed")
    func logs() async throws {
        try await Fixture.with { f in
            try await f.api.makeBrand("other")
            let strangers = try await f.api.makeSession("u-1", device: "d-9", brand: "other")
            let registered = try await f.api.call(
                .put,
                "/v1/brands/other/apps/ios/devices/d-9",
                as: strangers,
                #"{"token":"aabbcc99","pushType":"apns"}"#
            )
            try #require(registered.status == 201)
            let imported = try await f.api.call(
                .post,
                "/v1/brands/acme/devices/import",
                #"{"consumer":"u-3","app":"ios","deviceId":"d-3","token":"aabbcc33","pushType":"apns"}"#,
                type: "application/x-ndjson"
            )
            try #require(imported["created"]?.int == 1)
            // After a logout of its agents' pushes the device receives proactive messages only.
            let session = try await f.api.makeSession("u-1", device: "d-2")
            let path = "/v1/brands/acme/apps/ios/devices/d-2?unregister=agent"
            try #require(try await f.api.call(.delete, path, as: session).status == 204)

            let reply = try await f.push(
                Self.ios("token_a", "aabbcc99", "aabbcc33", more: #","notif_id":"n-1""#),
                Self.ios("aabbccee", more: #","thread-id":"t-1""#),
                #"{"to":"/topics/foo-bar","platform":2,"message":"\#(String(repeating: "x", count: 1000))"}"#,
                Self.ios("aabbccee")
            )
            #expect(reply.status == 200 && reply["success"]?.string == "ok" && reply["counts"]?.int == 6)
            let logs = reply["logs"]?.items ?? []
            #expect(logs.map { $0["token"]?.string } == ["token_a", "aabbcc99", "aabbccee", "/topics/foo-bar"])
            #expect(logs.map { $0["platform"]?.string } == ["ios", "ios", "ios", "android"])
            #expect(logs.map { $0["notif_id"]?.string } == ["n-1", "n-1", nil, nil])
            #expect(logs.first?.names == ["type", "notif_id", "platform", "token", "message", "error"])
            #expect(logs.first?["type"]?.string == "failed-push")
            #expect(logs.first?["message"]?.string == "Hello World iOS!")
            #expect(logs.last?["message"]?.string?.count == 100)
            #expect(try await f.deliveries() == ["d-2", "d-3"])

            // With a second app it is no longer clear which one is meant.
            let second = #"{"platform":"ios","apns":\#(API.apns)}"#
            try #require(try await f.api.call(.put, "/v1/brands/acme/apps/ios2", second).status == 201)
            #expect(try await f.push(Self.ios("aabbccdd"))["logs"]?.items.count == 1)
            #expect(try await f.deliveries() == ["d-2", "d-3"])
        }
    }

    private static let fcm = """
        {"serviceAccount":{"project_id":"p","private_key_id":"k","private_key":"x","client_email":"c@x.example",\
        "token_uri":"https://oauth2.googleapis.com/token"}}
        """

    @Test("platform 2 is FCM, of the only app that has it or of the only one for Android")
    func platforms() async throws {
        try await Fixture.with { f in
            func register(_ app: String) async throws {
                let session = try await f.api.makeSession("u-2", device: app)
                let made = try await f.api.call(
                    .put,
                    "/v1/brands/acme/apps/\(app)/devices/\(app)",
                    as: session,
                    #"{"token":"fcm-\#(app)","pushType":"fcm"}"#
                )
                try #require(made.status == 201, "\(made.text)")
            }
            func refused() async throws -> [String?] {
                let silent = #""data":{"a":"b"},"content_available":true"#
                let reply = try await f.push(#"{"tokens":["fcm-ios","fcm-android"],"platform":2,\#(silent)}"#)
                return (reply["logs"]?.items ?? []).map { $0["token"]?.string }
            }
            let ios = #"{"platform":"ios","apns":\#(API.apns),"fcm":\#(Self.fcm)}"#
            try #require(try await f.api.call(.put, "/v1/brands/acme/apps/ios", ios).status == 200)
            try await register("ios")
            #expect(try await refused() == ["fcm-android"])
            let android = #"{"platform":"android","fcm":\#(Self.fcm)}"#
            try #require(try await f.api.call(.put, "/v1/brands/acme/apps/android", android).status == 201)
            try await register("android")
            #expect(try await refused() == ["fcm-ios"])
            #expect(try await f.deliveries() == ["android", "ios"])
        }
    }

    @Test("errors are gorush's, and nothing is stored")
    func errors() async throws {
        try await Fixture.with { f in
            let before = try await f.api.dump()
            func expectError(_ status: Int, _ reply: Reply, _ message: String? = nil) throws {
                #expect(reply.status == status && reply["code"]?.int == status, "\(reply.text)")
                #expect(try reply.json().names == ["code", "message"])
                #expect(reply["message"]?.string?.isEmpty == false)
                if let message { #expect(reply["message"]?.string == message) }
            }
            for body in ["", "no json", "[]", "{}", #"{"notifications":null}"#, #"{"notifications":{}}"#] {
                try expectError(400, try await f.post(body), "Missing notifications field.")
            }
            try expectError(400, try await f.push(), "Notifications field is empty.")
            let many = Array(repeating: Self.ios("aabbccdd"), count: 101).joined(separator: ",")
            try expectError(400, try await f.push(many), "Number of notifications(101) over limit(100)")
            for wrong in [
                "7", #"{"platform":1,"message":"hi"}"#, #"{"platform":1,"tokens":[],"to":"","message":"hi"}"#,
                #"{"tokens":["aabbccdd"],"message":"hi"}"#, #"{"tokens":["aabbccdd"],"platform":4}"#,
                #"{"tokens":"aabbccdd","platform":1}"#, #"{"tokens":[null],"platform":1}"#,
                Self.ios("aabbccdd", more: #","data":[]"#), Self.ios("aabbccdd", more: #","thread-id":7"#),
                Self.ios("aabbccdd", more: #","data":{"a":"\#(String(repeating: "x", count: 32_768))"}"#),
                Self.ios("aabbccdd", more: #","title":"\#(String(repeating: "x", count: 1025))""#),
                Self.ios("aabbccdd", more: #","expiration":-1"#),
            ] {
                try expectError(400, try await f.push(Self.ios("aabbccdd"), wrong))
            }
            let list = Array(repeating: "\"aa\"", count: 6000).joined(separator: ",")
            let half = #"{"platform":1,"message":"hi","tokens":[\#(list)]}"#
            try expectError(413, try await f.push(half, half))
            let reader = try await f.api.makeAccount("acme", "events:read")
            for credential in [Credential.none, .admin, .basic("nobody", "x")] {
                let reply = try await f.push(Self.ios("aabbccdd"), as: credential)
                try expectError(401, reply)
                #expect(reply.headers[.wwwAuthenticate] != nil)
            }
            try expectError(403, try await f.push(Self.ios("aabbccdd"), as: reader))
            let after = try await f.api.dump()
            #expect(before["messages"] == after["messages"] && before["dedupe"] == after["dedupe"])
            let off = try await f.api.call(.patch, "/v1/brands/acme", #"{"settings":{"wire":{"gorush":null}}}"#)
            try #require(off.status == 200)
            try expectError(404, try await f.push(Self.ios("aabbccdd")))
        }
    }
}
