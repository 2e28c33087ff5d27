import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Devices", .timeLimit(.minutes(10)))
struct DeviceRouteTests {
    private static let path = "/v1/brands/acme/apps/ios/devices/d-1"

    @Test("a registration is created, renewed and returned without its token (R71)")
    func lifecycle() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            try await api.call(.get, Self.path, as: session).expectProblem(404, "not_found")
            let made = try await api.register("d-1", as: session, token: "AABBccdd", more: #","locale":"de-AT""#)
            #expect(made.status == 201)
            #expect(!made.text.lowercased().contains("aabbccdd"))
            #expect(made["tokenFingerprint"]?.string == DeviceToken.fingerprint("aabbccdd"))
            #expect(made["receives"] == .array([.string("agent"), .string("proactive")]))
            #expect(made["state"]?.string == "active")
            #expect(made["environment"]?.string == "production")
            #expect(made["platform"]?.string == "ios")
            #expect(made["locale"]?.string == "de-AT")
            api.clock.advance(seconds: 60)
            let again = try await api.register("d-1", as: session, token: "aabbccdd")
            #expect(again.status == 200)
            #expect(again["registeredAt"] != made["registeredAt"])
            #expect(again["createdAt"] == made["createdAt"])
            #expect(try await api.call(.get, Self.path, as: session).text == again.text)
            #expect(try await api.call(.delete, Self.path, as: session).status == 204)
            try await api.call(.get, Self.path, as: session).expectProblem(404, "not_found")
            #expect(try await api.call(.delete, Self.path, as: session).status == 204)
        }
    }

    @Test("R78: an app id that ends in -Dev is the sandbox of the app without it, unless there is an app of that id")
    func sandbox() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            let path = "/v1/brands/acme/apps/ios-Dev/devices/d-1"
            let body = #"{"token":"aabbccdd","pushType":"apns"}"#
            let made = try await api.call(.put, path, as: session, body)
            #expect(made.status == 201, "\(made.text)")
            #expect(made["app"]?.string == "ios" && made["environment"]?.string == "sandbox")
            #expect(try await api.call(.get, path, as: session).text == made.text)
            #expect(try await api.call(.get, Self.path, as: session).text == made.text)
            // The suffix wins over what the build states.
            let stated = #"{"token":"aabbccdd","pushType":"apns","environment":"production"}"#
            let again = try await api.call(.put, path, as: session, stated)
            #expect(again.status == 200 && again["environment"]?.string == "sandbox")
            #expect(try await api.call(.delete, path, as: session).status == 204)
            try await api.call(.get, Self.path, as: session).expectProblem(404, "not_found")
            for unknown in ["none-Dev", "ios-dev", "iosDev", "-Dev"] {
                let other = "/v1/brands/acme/apps/\(unknown)/devices/d-1"
                try await api.call(.put, other, as: session, body).expectProblem(404, "not_found")
            }
            let own = #"{"platform":"ios","apns":\#(API.apns)}"#
            #expect(try await api.call(.put, "/v1/brands/acme/apps/ios-Dev", own).status == 201)
            let separate = try await api.call(.put, path, as: session, body)
            #expect(separate["app"]?.string == "ios-Dev" && separate["environment"]?.string == "production")
        }
    }

    @Test("unregistering agents' pushes keeps proactive ones, none keeps all")
    func scopes() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            _ = try await api.register("d-1", as: session)
            #expect(try await api.call(.delete, Self.path + "?unregister=none", as: session).status == 204)
            let kept = try await api.call(.get, Self.path, as: session)
            #expect(kept["receives"] == .array([.string("agent"), .string("proactive")]))
            #expect(try await api.call(.delete, Self.path + "?unregister=agent", as: session).status == 204)
            let narrowed = try await api.call(.get, Self.path, as: session)
            #expect(narrowed["receives"] == .array([.string("proactive")]))
            // R81: counted, not pushed.
            let result = try await api.post("1")
            #expect(result["deliveries"]?.int == 0)
            #expect(result["unread"]?.int == 1)
            let proactive = try await api.post("2", more: #","kind":"proactive""#, type: "proactive.message")
            #expect(proactive["deliveries"]?.int == 1)
            let wrong = try await api.call(.delete, Self.path + "?unregister=some", as: session)
            wrong.expectProblem(422, "invalid_request")
        }
    }

    @Test(
        "invalid registrations are named",
        arguments: [
            (#"{"pushType":"apns"}"#, ["/token"]),
            (#"{"token":"aabb"}"#, ["/pushType"]),
            (#"{"token":5,"pushType":"apns"}"#, ["/token"]),
            (#"{"token":"aab","pushType":"apns"}"#, ["/token"]),
            (#"{"token":"","pushType":"apns"}"#, ["/token"]),
            (#"{"token":"xxyy","pushType":"apns"}"#, ["/token"]),
            (#"{"token":"aabb","pushType":"apns","currentToken":""}"#, ["/currentToken"]),
            (#"{"token":"aabb","pushType":"apns","currentToken":["aabb"]}"#, ["/currentToken"]),
            (#"{"token":"aabb","pushType":"fcm"}"#, ["/pushType"]),
            (#"{"token":"aabb","pushType":"huawei"}"#, ["/pushType"]),
            (#"{"token":"aabb","pushType":"webpush"}"#, ["/pushType"]),
            (#"{"token":"aabb","pushType":"pigeon"}"#, ["/pushType"]),
            (#"{"token":"aabb","pushType":"apns","environment":"moon"}"#, ["/environment"]),
            (#"{"token":"aabb","pushType":"apns","platform":"android"}"#, ["/platform"]),
            (#"{"token":"aabb","pushType":"apns","receives":["agent","mail"]}"#, ["/receives/1"]),
            (#"{"token":"aabb","pushType":"apns","receives":"agent"}"#, ["/receives"]),
            (#"{"token":"aabb","pushType":"apns","locale":"a\nb","timeZone":""}"#, ["/locale", "/timeZone"]),
        ]
    )
    func refused(_ body: String, _ pointers: [String]) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let reply = try await api.call(.put, Self.path, as: session, body)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == pointers)
            try await api.call(.get, Self.path, as: session).expectProblem(404, "not_found")
        }
    }

    @Test("a session bound to a device acts only for that device")
    func boundSession() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-2")
            try await api.register("d-1", as: session).expectProblem(403, "forbidden")
            try await api.call(.get, Self.path, as: session).expectProblem(403, "forbidden")
            try await api.call(.delete, Self.path, as: session).expectProblem(403, "forbidden")
            #expect(try await api.register("d-2", as: session).status == 201)
        }
    }

    @Test("another consumer's device is 404, and a token moves to its last registration (R71)")
    func moving() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let first = try await api.makeSession("u-1")
            let second = try await api.makeSession("u-2")
            _ = try await api.register("d-1", as: first, token: "aabb")
            try await api.call(.get, Self.path, as: second).expectProblem(404, "not_found")
            #expect(try await api.call(.delete, Self.path, as: second).status == 204)
            #expect(try await api.call(.get, Self.path, as: first).status == 200)
            #expect(try await api.register("d-9", as: second, token: "AABB").status == 201)
            try await api.call(.get, Self.path, as: first).expectProblem(404, "not_found")
            #expect(try await api.post("1", consumer: "u-1")["deliveries"]?.int == 0)
            #expect(try await api.post("2", consumer: "u-2", conversation: "c-2")["deliveries"]?.int == 1)
        }
    }

    @Test("a device that was logged out during its request is not registered")
    func loggedOutMeanwhile() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            #expect(try await api.register("d-1", as: session).status == 201)
            // Only the store has the change yet.
            try await api.execute("DELETE FROM sessions; DELETE FROM registrations")
            try await api.register("d-1", as: session).expectProblem(401, "token_invalid")
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")
            #expect(devices["items"]?.items.isEmpty == true, "\(devices.text)")
        }
    }

    @Test("where a brand allows one device, the last registration logs the others out")
    func singleDevice() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand("acme", settings: #"{"singleDevice":true}"#)
            let first = try await api.makeSession()
            #expect(try await api.register("d-1", as: first).status == 201)
            api.clock.advance(seconds: 1)
            let second = try await api.makeSession()
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: first).status == 200)
            #expect(try await api.register("d-2", as: second, token: "bb").status == 201)
            try await api.call(.get, "/v1/brands/acme/unread", as: first).expectProblem(401, "token_invalid")
            try await api.register("d-1", as: first).expectProblem(401, "token_invalid")
            // It is bound to its device now.
            try await api.register("d-3", as: second).expectProblem(403, "forbidden")
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")
            #expect(try devices.json()["items"]?.items.compactMap { $0["deviceId"]?.string } == ["d-2"])
        }
    }

    @Test("a back-end that uses the consumer's id from before the login sees its devices by it")
    func mergedName() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand("acme", settings: #"{"anonymousConsumers":true}"#)
            let path = "/v1/brands/acme/sessions"
            let opened = try await api.call(.post, path, as: .none, #"{"grant":"anonymous","deviceId":"d-1"}"#)
            let guest = try #require(opened["consumer"]?["id"]?.string)
            let session = Credential.bearer(try #require(opened["sessionToken"]?.string))
            #expect(try await api.register("d-1", as: session).status == 201)
            _ = try await api.makeSession("u-1", device: "d-1")
            let merge = try await api.call(.patch, "/v1/brands/acme/consumers/u-1", #"{"mergeFrom":"\#(guest)"}"#)
            #expect(merge.status == 200, "\(merge.text)")
            for name in [guest, "u-1"] {
                let found = try await api.call(.get, Self.path + "?consumer=\(name)")
                #expect(found.status == 200 && found["consumer"]?.string == "u-1", "\(found.text)")
            }
            try await api.call(.get, Self.path + "?consumer=u-2").expectProblem(404, "not_found")
        }
    }

    @Test("a back-end registers and lists devices for consumers that it names")
    func backend() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "consumers:write")
            for device in ["d-1", "d-2", "d-3"] {
                let made = try await api.call(
                    .put,
                    "/v1/brands/acme/apps/ios/devices/\(device)?consumer=u%2F1",
                    as: account,
                    #"{"token":"\#(device == "d-1" ? "aa" : device == "d-2" ? "bb" : "cc")","pushType":"apns"}"#
                )
                #expect(made.status == 201)
                #expect(made["consumer"]?.string == "u/1")
            }
            let path = "/v1/brands/acme/consumers/u%2F1/devices"
            let page = try await api.call(.get, path + "?limit=2", as: account)
            #expect(try page.json()["items"]?.items.compactMap { $0["deviceId"]?.string } == ["d-1", "d-2"])
            let cursor = try #require(page["nextCursor"]?.string)
            let rest = try await api.call(.get, path + "?cursor=\(cursor)", as: account)
            #expect(try rest.json()["items"]?.items.compactMap { $0["deviceId"]?.string } == ["d-3"])
            let nobody = try await api.call(.get, "/v1/brands/acme/consumers/nobody/devices", as: account)
            #expect(try nobody.json()["items"]?.items.isEmpty == true)
        }
    }

    @Test("an unknown app accepts no devices")
    func unknownApp() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let path = "/v1/brands/acme/apps/nope/devices/d-1"
            let made = try await api.call(.put, path, as: session, #"{"token":"aa","pushType":"apns"}"#)
            made.expectProblem(404, "not_found")
        }
    }
}
