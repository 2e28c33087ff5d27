import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Preview and self-check", .timeLimit(.minutes(10)))
struct ProbeRouteTests {
    private static let path = "/v1/brands/acme/apps/ios"

    private static func event(_ more: String = "") -> String {
        #"{"id":"e","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello"\#(more)}"#
    }

    @Test("a preview is the request that would be sent, without its secrets, and sends nothing")
    func preview() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let reply = try await api.call(
                .post,
                Self.path + "/preview",
                as: reader,
                #"{"event":\#(Self.event(#","data":{"z":1.50,"a":[1,{"event":2}]}"#)),"pushType":"apns","locale":"de"}"#
            )
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply["method"]?.string == "POST")
            #expect(reply["url"]?.string == "https://api.push.apple.com:443/3/device/device-token")
            #expect(reply["headers"]?["authorization"]?.string == "bearer ***")
            #expect(reply["headers"]?["apns-push-type"]?.string == "alert")
            #expect(reply["body"]?["aps"]?["alert"]?["body"]?.string == "hello")
            #expect(reply["body"]?["aps"]?["badge"]?.int == 1)
            // Unchanged, to the byte.
            #expect(reply.text.contains(#""data":{"z":1.50,"a":[1,{"event":2}]}"#))
            #expect(reply["truncated"]?.items.isEmpty == true)
            #expect(reply["limitBytes"]?.int == 4096)
            #expect(!reply.text.contains("PRIVATE KEY"))
            let none = try await api.call(.get, "/v1/brands/acme/deliveries")
            #expect(none["items"]?.items.isEmpty == true)
        }
    }

    @Test("a preview reports what does not fit")
    func truncated() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let long = String(repeating: "word ", count: 1000)
            let reply = try await api.call(
                .post,
                Self.path + "/preview",
                #"{"event":\#(Self.event().replacing("hello", with: long)),"pushType":"apns"}"#
            )
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply["truncated"]?.items == [.string("text")])
            let bytes = try #require(reply["bodyBytes"]?.int)
            #expect(bytes > 3000 && bytes <= 4096)
        }
    }

    @Test(
        "a preview is in the app's format, and reports what does not fit",
        arguments: [("liveperson", "push-service"), ("ujet", "ujet"), ("bloomreach", "source")]
    )
    func dialects(dialect: String, mark: String) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let app = #"{"platform":"ios","apns":\#(API.apns),"dialect":"\#(dialect)"}"#
            let put = try await api.call(.put, Self.path, app)
            #expect(put.status == 200, "\(put.text)")
            #expect(put["dialect"]?.string == dialect)
            let path = Self.path + "/preview"
            let whole = try await api.call(.post, path, #"{"event":\#(Self.event()),"pushType":"apns"}"#)
            #expect(whole.status == 200, "\(whole.text)")
            #expect(whole["body"]?[mark] != nil)
            #expect(whole["truncated"]?.items.isEmpty == true)
            let data = String(repeating: "d", count: 4000)
            let noData = try await api.call(
                .post,
                path,
                #"{"event":\#(Self.event(#","data":{"d":"\#(data)"}"#)),"pushType":"apns"}"#
            )
            #expect(noData["truncated"]?.items == [.string("data")])
            let long = Self.event().replacing("hello", with: String(repeating: "word ", count: 1000))
            let cut = try await api.call(.post, path, #"{"event":\#(long),"pushType":"apns"}"#)
            #expect(cut["truncated"]?.items == [.string("text")])
        }
    }

    @Test("all errors of a preview are named by their positions at once")
    func previewProblems() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let path = Self.path + "/preview"
            for (body, pointers) in [
                (
                    #"{"event":{"id":"e","type":"agent.message","consumer":"u-1","conversation":"c"},"pushType":"apns"}"#,
                    ["/event/text"]
                ),
                (#"{"event":\#(Self.event()),"pushType":"fcm"}"#, ["/pushType"]),
                (#"{"event":\#(Self.event(#","silent":1"#)),"pushType":"x"}"#, ["/pushType", "/event/silent"]),
                (
                    #"{"event":{"id":"e","type":"messages.read","consumer":"u","conversation":"c","upToSequence":1}"#
                        + #","pushType":"apns"}"#, ["/event/type"]
                ),
                (#"{"pushType":"apns"}"#, ["/event"]),
                (#"{"event":5,"pushType":"apns"}"#, ["/event"]),
            ] {
                let refused = try await api.call(.post, path, body)
                refused.expectProblem(422, "invalid_request")
                #expect(Set(refused.pointers) == Set(pointers), "\(body) \(refused.text)")
            }
            try await api.call(.post, path, "{").expectProblem(400, "invalid_request")
            try await api.call(.post, path, as: .none, "{}").expectProblem(401, "unauthorized")
            let writer = try await api.makeAccount("acme", "events:write")
            try await api.call(.post, path, as: writer, "{}").expectProblem(403, "forbidden")
            try await api.call(.post, "/v1/brands/acme/apps/none/preview", "{}").expectProblem(404, "not_found")
        }
    }

    @Test("a self-check returns the provider's verdict on the token, and stores nothing")
    func selfCheck() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let path = Self.path + "/self-check"
            let good = try await api.call(.post, path, #"{"token":"AABB","pushType":"apns","environment":"sandbox"}"#)
            #expect(good.status == 200, "\(good.text)")
            #expect(good["outcome"]?.string == "accepted")
            #expect(good["providerId"]?.string == "p-0")
            #expect(good["status"]?.int == 200)
            let bad = try await api.call(.post, path, #"{"token":"bad0","pushType":"apns"}"#)
            #expect(bad["outcome"]?.string == "rejected")
            #expect(bad["verdict"]?.string?.contains("TopicDisallowed") == true)
            let shown = #"{"token":"AABB","pushType":"apns","event":\#(Self.event())}"#
            #expect(try await api.call(.post, path, shown)["outcome"]?.string == "accepted")
            let lacking = try await api.call(.post, path, #"{"token":"AABB","pushType":"apns","event":{"id":"e"}}"#)
            lacking.expectProblem(422, "invalid_request")
            #expect(!lacking.pointers.isEmpty && lacking.pointers.allSatisfy { $0.hasPrefix("/event/") })
            let none = try await api.call(.get, "/v1/brands/acme/deliveries")
            #expect(none["items"]?.items.isEmpty == true)
            let wrong = try await api.call(.post, path, #"{"token":"x","pushType":"apns","environment":"y"}"#)
            wrong.expectProblem(422, "invalid_request")
            #expect(Set(wrong.pointers) == ["/token", "/environment"])
            try await api.call(.post, path, as: .none, "{}").expectProblem(401, "unauthorized")
            let reader = try await api.makeAccount("acme", "events:write", "deliveries:read")
            try await api.call(.post, path, as: reader, "{}").expectProblem(403, "forbidden")
            let tenant = try await api.makeAccount("acme", "brand:admin")
            try await api.call(.post, path, as: tenant, "{}").expectProblem(422, "invalid_request")
            try await api.call(.post, "/v1/brands/acme/apps/none/self-check", "{}").expectProblem(404, "not_found")
            // Except the audit trail, which has the three self-checks.
            let trail = try await api.call(.get, "/v1/brands/acme/audit").json()["items"]?.items ?? []
            let reported = trail.filter { $0["action"]?.string == "app.self_checked" }.map { $0["target"]?.string }
            #expect(reported.count == 3 && Set(reported).count == 1)
        }
    }

    @Test(
        "a member's text is found unchanged",
        arguments: [
            (#"{"event":{"a":"}"},"b":1}"#, #"{"a":"}"}"#),
            (#"{"x":{"event":1},"event" : [1,{"event":2}] }"#, #"[1,{"event":2}] "#),
            (#"{"a":"event","event":"\"","c":0}"#, #""\"""#),
            (#"{"a":["event",":"],"event":-1.5e3}"#, "-1.5e3"),
        ]
    )
    func rawMember(_ text: String, _ value: String) throws {
        let bytes = Array(text.utf8)
        let found = bytes.withUnsafeBufferPointer { RawMember.value("event", of: $0).map { Array(bytes[$0]) } }
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == value)
        let none = Array("{}".utf8).withUnsafeBufferPointer { RawMember.value("event", of: $0) }
        #expect(none == nil)
    }
}
