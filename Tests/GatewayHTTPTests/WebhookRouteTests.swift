import Foundation
import GatewayModel
import GatewayStorage
import HTTPTypes
import Identity
import Outbound
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A brand's webhook", .timeLimit(.minutes(10)))
struct WebhookRouteTests {
    private static let brand = "/v1/brands/acme"
    private static let secret = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()

    private func patch(_ api: API, _ webhook: String) async throws -> Reply {
        try await api.call(.patch, Self.brand, #"{"settings":{"webhook":\#(webhook)}}"#)
    }

    @Test("is set with the brand's settings; a generated secret is returned once, a given one never")
    func secrets() async throws {
        try await TestGateway.run { api in
            let made = try await api.call(
                .post,
                "/v1/brands",
                #"{"id":"acme","name":"Acme","settings":{"webhook":{"url":"https://hooks.example/x"}}}"#
            )
            #expect(made.status == 201 && made.headers[.cacheControl] == "no-store")
            let shown = try #require(made["settings"]?["webhook"]?["secret"]?.string)
            #expect(shown.hasPrefix("whsec_") && Data(base64Encoded: String(shown.dropFirst(6)))?.count == 32)
            let read = try await api.call(.get, Self.brand)
            #expect(read["settings"]?["webhook"]?.names == ["url", "secretFingerprint"])
            #expect(!read.text.contains(shown) && read.headers[.cacheControl] == "no-store")
            // Another name, another address: the secret stays.
            _ = try await api.call(.patch, Self.brand, #"{"name":"New"}"#)
            let moved = try await patch(api, #"{"url":"https://hooks.example/y","types":["message.tapped"]}"#)
            let webhook = try #require(moved["settings"]?["webhook"])
            #expect(webhook["secret"] == nil && webhook["url"]?.string == "https://hooks.example/y")
            #expect(webhook["secretFingerprint"] == read["settings"]?["webhook"]?["secretFingerprint"])
            #expect(webhook["types"]?.items.map(\.string) == ["message.tapped"])
            // A secret from the caller; the previous one signs for a day.
            let given = try await patch(api, #"{"secret":"\#(Self.secret)","types":null}"#)
            let changed = try #require(given["settings"]?["webhook"])
            #expect(!given.text.contains(Self.secret) && changed["types"] == nil)
            #expect(changed["secretFingerprint"] != webhook["secretFingerprint"])
            let until = api.clock.now.adding(seconds: 86_400).rfc3339
            #expect(changed["previousSecretUntil"]?.string == until)
            #expect(api.directory.webhookKeys(brand: BrandID(trusted: "acme")).count == 2)
            // The same once more changes nothing.
            #expect(try await patch(api, #"{"secret":"\#(Self.secret)"}"#).text == given.text)
            let renewed = try await patch(api, #"{"secret":null}"#)
            #expect(renewed["settings"]?["webhook"]?["secret"]?.string?.hasPrefix("whsec_") == true)
            // As after a lost response: the receiver's current secret still signs.
            let first = try #require(WebhookSecret(Self.secret))
            for _ in 0..<2 { _ = try await patch(api, #"{"secret":null}"#) }
            #expect(api.directory.webhookKeys(brand: BrandID(trusted: "acme")).contains(first.key))
            for _ in 0..<5 { _ = try await patch(api, #"{"secret":null}"#) }
            let keys = api.directory.webhookKeys(brand: BrandID(trusted: "acme"))
            #expect(keys.count == 4 && !keys.contains(first.key), "more than a few are not stored")
            api.clock.advance(seconds: 86_400)
            #expect(api.directory.webhookKeys(brand: BrandID(trusted: "acme")).count == 1)
            #expect(try await patch(api, "null")["settings"]?["webhook"] == .null)
            #expect(api.directory.webhookKeys(brand: BrandID(trusted: "acme")).isEmpty)
        }
    }

    @Test(
        "all invalid members are named at once",
        arguments: [
            (#"{}"#, ["/settings/webhook/url"]), (#"{"url":null}"#, ["/settings/webhook/url"]),
            (#"{"url":5}"#, ["/settings/webhook/url"]), ("[]", ["/settings/webhook"]),
            (#"{"url":"http://hooks.example/"}"#, ["/settings/webhook/url"]),
            (#"{"url":"https://169.254.169.254/"}"#, ["/settings/webhook/url"]),
            (#"{"url":"https://10.0.0.1/"}"#, ["/settings/webhook/url"]),
            (#"{"url":"https://u:p@hooks.example/"}"#, ["/settings/webhook/url"]),
            (
                #"{"url":"x","secret":"whsec_AAAA","types":["nothing","message.tapped"]}"#,
                ["/settings/webhook/url", "/settings/webhook/types/0", "/settings/webhook/secret"]
            ),
            (#"{"url":"https://e/","types":[]}"#, ["/settings/webhook/types"]),
            (#"{"url":"https://e/","types":"all"}"#, ["/settings/webhook/types"]),
            (#"{"url":"https://e/","secret":"secret"}"#, ["/settings/webhook/secret"]),
            (#"{"url":"https://e/","secret":""}"#, ["/settings/webhook/secret"]),
        ]
    )
    func wrong(webhook: String, pointers: [String]) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let patched = try await patch(api, webhook)
            patched.expectProblem(422, "invalid_request")
            #expect(patched.pointers == pointers)
            let body = #"{"id":"b","name":"B","settings":{"webhook":\#(webhook)}}"#
            let made = try await api.call(.post, "/v1/brands", body)
            made.expectProblem(422, "invalid_request")
            #expect(made.pointers == pointers)
            #expect(try await api.call(.get, Self.brand)["settings"]?["webhook"] == .null)
        }
    }

    @Test(
        "a service account does not learn how far a connection came; the instance's administrator does",
        arguments: ["unreachable", "timeout", "unresolved", "forbidden_address", "tls", "too_large", "proxy"]
    )
    func hiddenCause(word: String) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let tenant = try await api.makeAccount("acme", "brand:admin")
            _ = try await patch(api, #"{"url":"https://hooks.example/x"}"#)
            let webhook = OutboundReceiver(brand: BrandID(trusted: "acme"))
            var state = try #require(try await api.store.webhookState(of: webhook))
            for (stored, reported) in [(word, "unreachable"), ("refused", "refused"), ("gone", "gone")] {
                state.lastError = stored
                #expect(try await api.store.putWebhookState(state, of: webhook))
                let all = try await api.call(.get, Self.brand + "/webhook")
                #expect(all["lastError"]?.string == stored)
                let few = try await api.call(.get, Self.brand + "/webhook", as: tenant)
                #expect(few["lastError"]?.string == reported, "\(few.text)")
            }
        }
    }

    @Test("reports its state, and its mark is set back")
    func replay() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.call(.get, Self.brand + "/webhook").expectProblem(404, "not_found")
            try await api.call(.post, Self.brand + "/webhook/replay", #"{"after":0}"#).expectProblem(404, "not_found")
            _ = try await patch(api, #"{"url":"https://hooks.example/x"}"#)
            for number in 1...3 { try await api.post("e-\(number)", conversation: "c-\(number)") }
            let stands = try await api.call(.get, Self.brand + "/webhook")
            #expect(
                stands.text == """
                    {"url":"https://hooks.example/x","state":"working","position":0,"lag":3,"keptAfter":0,"attempts":0,\
                    "lastTriedAt":null,"lastStatus":null,"lastError":null,"nextTryAt":null}
                    """
            )
            let back = try await api.call(.post, Self.brand + "/webhook/replay", #"{"after":2}"#)
            #expect(back.status == 200 && back["position"]?.int == 2 && back["lag"]?.int == 1)
            let trail = try await api.call(.get, Self.brand + "/audit?limit=1")
            #expect(trail["items"]?[0]?["action"]?.string == "outbound.replayed")
            for body in [#"{"after":4}"#, #"{"after":-1}"#, #"{}"#, #"{"after":"1"}"#] {
                let reply = try await api.call(.post, Self.brand + "/webhook/replay", body)
                reply.expectProblem(422, "invalid_request")
                #expect(reply.pointers == ["/after"])
            }
        }
    }

    @Test("only the brand's administrators may read it and set its mark back")
    func access() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            _ = try await patch(api, #"{"url":"https://hooks.example/x"}"#)
            let own = try await api.makeAccount("acme", "brand:admin")
            let reader = try await api.makeAccount("acme", "events:read")
            let stranger = try await api.makeAccount("other", "brand:admin")
            let session = try await api.makeSession()
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.get, Self.brand + "/webhook", nil), (.post, Self.brand + "/webhook/replay", #"{"after":0}"#),
            ]
            for (method, path, body) in calls {
                try await api.call(method, path, as: .none, body).expectProblem(401, "unauthorized")
                try await api.call(method, path, as: stranger, body).expectProblem(401, "unauthorized")
                try await api.call(method, path, as: reader, body).expectProblem(403, "forbidden")
                try await api.call(method, path, as: session, body).expectProblem(403, "forbidden")
                #expect(try await api.call(method, path, as: own, body).status == 200)
                let unknown = path.replacing("/acme/", with: "/nobody/")
                try await api.call(method, unknown, body).expectProblem(404, "not_found")
            }
        }
    }
}
