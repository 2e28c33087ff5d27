import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("LivePerson's engagement call", .timeLimit(.minutes(10)))
struct LivePersonEngagementTests {
    private static let path = "/api/account/acme/app/ios/engagement"
    private static let settings = """
        ,"engagements":[{"id":"2","campaignId":"1","entryPoints":["sec://sales"],"app":"ios","skill":"sales",\
        "language":"en"},{"id":"02","campaignId":"spring","entryPoints":["sec://other"],"skill":"any"}]
        """

    private static func run(_ test: @escaping @Sendable (API) async throws -> Void) async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand("acme", settings)
            let on = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"wire":{"liveperson":true}}}"#)
            try #require(on.status == 200)
            try await test(api)
        }
    }

    private static func body(_ subject: String = "u-1", at point: String = "sec://sales") -> String {
        """
        {"identities":[{"iss":"brand","acr":"loa1","sub":"\(subject)"}],"clientProperties":{"os":"IOS"},\
        "entryPoints":["\(point)","lang://en"],"engagementAttributes":[]}
        """
    }

    @Test("R116 R117 R196: an offer has LivePerson's members; a plain subject learns nothing")
    func offered() async throws {
        try await Self.run { api in
            try await api.post("1", conversation: "c-7")
            let first = try await api.call(.post, Self.path + "?v=1.0", as: .none, Self.body())
            #expect(first.status == 201, "\(first.text)")
            #expect(try first.json().names == ["sessionId", "visitorId", "pageId", "engagementDetails"])
            let details = try #require(first["engagementDetails"]?.items.first)
            #expect(
                details.names == [
                    "campaignId", "engagementId", "engagementRevision", "contextId", "skill", "language", "status",
                ]
            )
            #expect(details["campaignId"]?.int == 1 && details["engagementId"]?.int == 2)
            #expect(details["status"]?.string == "expose")
            let again = try await api.call(.post, Self.path + "?v=1.0&vid=v-1&sid=s-1", as: .none, Self.body())
            #expect(again.status == 200)
            #expect(again["sessionId"]?.string == "s-1" && again["visitorId"]?.string == "v-1")
            // Only what is written as a number is one.
            let other = try await api.call(.post, Self.path, as: .none, Self.body(at: "sec://other"))
            let named = try #require(other["engagementDetails"]?.items.first)
            #expect(named["campaignId"]?.string == "spring" && named["engagementId"]?.string == "02")
            for body in [Self.body(at: "none"), "{}", #"{"identities":null,"entryPoints":null}"#] {
                let nothing = try await api.call(.post, Self.path, as: .none, body)
                #expect(nothing.status == 201)
                #expect(try nothing.json().names == ["sessionId", "visitorId", "pageId"])
            }
        }
    }

    @Test("R118 R119: a session and a JWE identity learn the active conversation, and the offer opens one")
    func identified() async throws {
        try await Self.run { api in
            let session = try await api.makeSession()
            let offer = try await api.call(.post, Self.path, as: session, Self.body("u-2"))
            let details = try #require(offer["engagementDetails"]?.items.first)
            let context = try #require(details["contextId"]?.string)
            let opened = try await api.call(
                .post,
                "/v1/brands/acme/conversations",
                as: session,
                #"{"clientId":"o-1","engagement":{"campaignId":"1","engagementId":"2","contextId":"\#(context)"}}"#
            )
            #expect(opened.status == 201, "\(opened.text)")
            let id = try #require(opened["id"]?.string)
            let known = try await api.call(.post, Self.path, as: session, Self.body())
            #expect(known["engagementDetails"]?.items.first?["status"]?.string == "conversation")
            #expect(known["engagementDetails"]?.items.first?["conversationId"]?.string == id)
            #expect(known["conversation"]?["id"]?.string == id)

            let key = try await api.call(
                .post,
                "/v1/brands/acme/credentials",
                #"{"kind":"jweKey","name":"login","algorithm":"ECDH-ES"}"#
            )
            let pem = try #require(key["publicKey"]?.string)
            let kid = try #require(key["id"]?.string)
            let jws = api.token(api.claims(#","iss":"acme","identifier":"u-1""#))
            let identity = try TestJWE.sealed(jws, for: pem, kid: kid)
            let sealed = try await api.call(.post, Self.path, as: .none, Self.body(identity, at: "none"))
            #expect(sealed["conversation"]?["id"]?.string == id, "\(sealed.text)")
            #expect(sealed["engagementDetails"] == nil)
            let forged = try await api.call(.post, Self.path, as: .none, Self.body("a.b.c.d.e"))
            #expect(forged.status == 401, "\(forged.text)")
        }
    }

    @Test("errors have the format of the monitoring API, and an adaptor that is off is unknown")
    func errors() async throws {
        try await Self.run { api in
            func expectError(_ status: Int, _ path: String, _ body: String) async throws {
                let reply = try await api.call(.post, path, as: .none, body)
                #expect(reply.status == status && reply["internalCode"]?.int == status, "\(reply.text)")
                #expect(try reply.json().names == ["time", "message", "internalCode"])
                #expect(reply["time"]?.int == Int(api.clock.now.milliseconds))
                #expect(reply["message"]?.string?.isEmpty == false)
            }
            for body in [
                "no json", #"{"entryPoints":"x"}"#, #"{"entryPoints":[""]}"#, #"{"identities":[7]}"#,
                #"{"identities":[{"sub":7}]}"#,
            ] {
                try await expectError(400, Self.path, body)
            }
            try await expectError(400, Self.path + "?vid=" + String(repeating: "v", count: 257), "{}")
            try await expectError(404, "/api/account/none/app/ios/engagement", "{}")
            try #require(try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"wire":null}}"#).status == 200)
            try await expectError(404, Self.path, "{}")
        }
    }
}
