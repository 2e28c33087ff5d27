import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Extra tokens, and the time when a device was last seen", .timeLimit(.minutes(10)))
struct DeviceLifeTests {
    private static let path = "/v1/brands/acme/apps/ios/devices/d-1"
    private static let list = "/v1/brands/acme/consumers/u-1/devices"

    @Test("extra tokens are shown as fingerprints, replaced by each PUT, and never returned")
    func extraTokens() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let more = """
                ,"extraTokens":[{"kind":"voip","token":"CAFE01"},{"kind":"liveactivity","token":"beef02"},\
                {"kind":"liveactivity","token":"beef03"},{"kind":"voip","token":"cafe01"}]
                """
            let made = try await api.register("d-1", as: session, more: more)
            #expect(made.status == 201, "\(made.text)")
            let shown = try #require(made["extraTokens"])
            #expect(shown.items.map { $0["kind"]?.string } == ["voip", "liveactivity", "liveactivity"])
            let prints = ["cafe01", "beef02", "beef03"].map(DeviceToken.fingerprint)
            #expect(shown.items.map { $0["tokenFingerprint"]?.string } == prints)
            let others = [
                try await api.call(.get, Self.path, as: session), try await api.call(.get, Self.list),
                try await api.call(.get, "/v1/brands/acme/consumers/u-1/export"),
            ]
            for reply in others {
                let body = try reply.json()
                let holder = body["items"]?[0] ?? body["devices"]?[0] ?? body
                #expect(holder["extraTokens"] == shown, "\(reply.text)")
                for token in ["cafe01", "beef02", "beef03"] { #expect(!reply.text.lowercased().contains(token)) }
            }
            let renewed = try await api.register("d-1", as: session)
            #expect(renewed.status == 200 && renewed["extraTokens"]?.items.isEmpty == true)
        }
    }

    @Test(
        "invalid extra tokens are named",
        arguments: [
            (#"{"kind":"voip","token":"aa"}"#, ["/extraTokens"]),
            (#"[{"kind":"alert","token":"aa"}]"#, ["/extraTokens/0/kind"]),
            (
                #"[{"kind":"voip","token":"aa"},{"kind":"VoIP","token":"xy"}]"#,
                ["/extraTokens/1/kind", "/extraTokens/1/token"]
            ),
            (
                #"[{"kind":"voip"},{"token":"aa"},"aa",null]"#,
                [
                    "/extraTokens/0/token", "/extraTokens/1/kind", "/extraTokens/2", "/extraTokens/3",
                ]
            ),
            (#"[{"kind":"voip","token":"aaa"}]"#, ["/extraTokens/0/token"]),
            (#"[{"kind":"voip","token":"aa","topic":"x"}]"#, ["/extraTokens/0/topic"]),
            (
                "[" + Array(repeating: #"{"kind":"voip","token":"aa"}"#, count: 17).joined(separator: ",") + "]",
                ["/extraTokens"]
            ),
        ]
    )
    func refused(_ tokens: String, _ pointers: [String]) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let reply = try await api.register("d-1", as: session, more: #","extraTokens":\#(tokens)"#)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == pointers)
            try await api.call(.get, Self.path, as: session).expectProblem(404, "not_found")
        }
    }

    @Test("a device is seen when its own session sends a request, once an hour")
    func seen() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand("acme", settings: #"{"sessionTtlSeconds":86400}"#)
            let session = try await api.makeSession(device: "d-1")
            let unbound = try await api.makeSession()
            let made = try await api.register("d-1", as: session)
            #expect(made["lastSeenAt"] == made["registeredAt"])
            func lastSeen() async throws -> Reply { try await api.call(.get, Self.path + "?consumer=u-1") }
            api.clock.advance(seconds: 7200)
            // A session without a device does not identify one.
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: unbound).status == 200)
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200)
            let seen = try await api.until(lastSeen) { $0["lastSeenAt"] != made["lastSeenAt"] }
            #expect(seen["lastSeenAt"]?.string == api.clock.now.rfc3339)
            #expect(seen["registeredAt"] == made["registeredAt"])
            api.clock.advance(seconds: 1)
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200)
            // A later change of the same session comes after the effects of that request.
            _ = try await api.call(.delete, Self.path + "?unregister=agent", as: session)
            #expect(try await lastSeen()["lastSeenAt"] == seen["lastSeenAt"])
            let listed = try await api.call(.get, Self.list)
            #expect(listed["items"]?[0]?["lastSeenAt"] == seen["lastSeenAt"])
        }
    }

    @Test("R195: after an agent logout no push tells the device how many of agents' messages are unread")
    func badgeAfterAgentLogout() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session)
            let deliveries = "/v1/brands/acme/deliveries?state=accepted"
            func badges(_ count: Int) async throws -> [Int?] {
                let reply = try await api.until {
                    try await api.call(.get, deliveries)
                } holds: {
                    $0["items"]?.items.count == count
                }
                return (reply["items"]?.items ?? []).map { $0["badge"]?.int }
            }
            let proactive = #","kind":"proactive""#
            try await api.post("a-1")
            try await api.post("p-1", more: proactive, type: "proactive.message")
            #expect(try await badges(2) == [1, 1])
            let logout = "/v1/brands/acme/sessions/current?unregister=agent"
            #expect(try await api.call(.delete, logout, as: session).status == 204)
            try await api.post("a-2")
            try await api.post("p-2", more: proactive, type: "proactive.message")
            #expect(try await badges(3) == [nil, 1, 1])
            // A login registers again, for all kinds.
            _ = try await api.register("d-1", as: try await api.makeSession(device: "d-1"))
            try await api.post("p-3", more: proactive, type: "proactive.message")
            #expect(try await badges(4) == [2, nil, 1, 1])
        }
    }

    @Test("a device receives what its last request chose, also after a logout from agents' messages")
    func receives() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            var number = 0
            func deliveries() async throws -> [Int?] {
                number += 1
                let proactive = #","kind":"proactive""#
                return [
                    try await api.post("a-\(number)")["deliveries"]?.int,
                    try await api.post("p-\(number)", more: proactive, type: "proactive.message")["deliveries"]?.int,
                ]
            }
            for (receives, expected) in [
                (#"["agent"]"#, [1, 0]), (#"["proactive"]"#, [0, 1]), ("[]", [0, 0]),
                (#"["agent","proactive"]"#, [1, 1]),
                ("null", [1, 1]),
            ] {
                _ = try await api.register("d-1", as: session, more: #","receives":\#(receives)"#)
                #expect(try await deliveries() == expected, "\(receives)")
            }
            for receives in [#"["agent"]"#, #"["agent","proactive"]"#] {
                _ = try await api.register("d-1", as: session, more: #","receives":\#(receives)"#)
                #expect(try await api.call(.delete, Self.path + "?unregister=agent", as: session).status == 204)
                #expect(try await deliveries() == [0, receives.contains("proactive") ? 1 : 0], "\(receives)")
            }
            // A login registers again, for all kinds.
            _ = try await api.register("d-1", as: session)
            #expect(try await deliveries() == [1, 1])
        }
    }
}
