import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Wire adaptors", .timeLimit(.minutes(10)))
struct WireSettingTests {
    @Test("are off by default, are switched individually, and are unchanged by a merge patch without them")
    func setting() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            func patch(_ wire: String) async throws -> JSON? {
                let reply = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"wire":\#(wire)}}"#)
                #expect(reply.status == 200, "\(reply.text)")
                let read = try await api.call(.get, "/v1/brands/acme")
                #expect(read.text == reply.text)
                return read["settings"]?["wire"]
            }
            func both(_ copilot: Bool, _ ccai: Bool) throws -> JSON {
                let others = ["talkdesk", "bloomreach", "liveperson", "gorush"].map { ",\"\($0)\":false" }.joined()
                return try JSON(#"{"copilot":\#(copilot),"ccai":\#(ccai)\#(others)}"#)
            }
            #expect(try await patch("{}") == both(false, false))
            #expect(try await patch(#"{"ccai":true,"talkdesk":null}"#) == both(false, true))
            #expect(try await patch(#"{"copilot":true}"#) == both(true, true))
            #expect(try await patch(#"{"ccai":null}"#) == both(true, false))
            let other = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"singleDevice":true}}"#)
            #expect(other["settings"]?["wire"] == (try both(true, false)))
            #expect(try await patch("null") == both(false, false))
            let refused = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"wire":{"onesignal":true}}}"#)
            refused.expectProblem(422, "invalid_request")
            #expect(refused.pointers == ["/settings/wire/onesignal"], "\(refused.text)")
        }
    }

    @Test("that are off for the brand are 404, but only for authenticated callers")
    func off() async throws {
        try await TestGateway.run { api in
            // Each with the other one on.
            try await api.makeBrand("one", settings: #"{"wire":{"copilot":true}}"#)
            try await api.makeBrand("two", settings: #"{"wire":{"ccai":true}}"#)
            for brand in ["one", "two"] { try await api.makeSDKKey(brand, name: brand) }
            let first = try await api.makeAccount("one", "sessions:mint")
            let second = try await api.makeAccount("two", "sessions:mint")
            let reader = try await api.makeAccount("two", "events:read")
            let token = api.token(api.claims(#","identifier":"u-1""#))
            let session = try await api.makeSession("u-1", brand: "one")
            #expect(try await api.generateKey(as: first).status == 200)
            #expect(try await api.exchange(token, keyName: "two").status == 200)
            #expect(try await api.sign(as: second, query: "?consumer=u-1").status == 200)
            let before = try await api.dump()
            try await api.generateKey(as: second, "not json").expectEnvelope(404, "not_found")
            try await api.exchange(token, keyName: "one").expectEnvelope(404, "not_found")
            try await api.sign(as: first, "1.5", query: "?consumer=").expectEnvelope(404, "not_found")
            try await api.sign(as: session).expectEnvelope(404, "not_found")
            #expect(try await api.dump() == before)
            try await api.generateKey(as: .basic("nobody", "x")).expectEnvelope(401, "unauthorized")
            try await api.generateKey(as: reader).expectEnvelope(403, "forbidden")
            let forged = api.token(api.claims(#","identifier":"u-1""#), key: String(repeating: "x", count: 64))
            try await api.exchange(forged, keyName: "one").expectEnvelope(401, "token_invalid", "bad_signature")
            try await api.sign(as: .none).expectEnvelope(401, "unauthorized")
        }
    }

    @Test("use their own error format for every error (R186)")
    func shapes() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            let query = "?consumer=u-1"
            let name = try #require(HTTPField.Name("X-SDK-Key-Name"))
            for (path, credential) in [
                (API.copilotPath, account), (API.exchangePath, .none), (API.signPath + query, account),
            ] {
                func post(_ bytes: [UInt8]?, type: String = "application/json") async throws -> Reply {
                    try await api.call(.post, path, as: credential, bytes: bytes, type: type, headers: [name: "acme"])
                }
                let typed = try await post(Array("{}".utf8), type: "text/plain")
                // Only the routes of CCAI Platform read JSON of any media type (R191).
                if path == API.copilotPath {
                    typed.expectEnvelope(415, "unsupported_media_type")
                } else {
                    typed.expectEnvelope(400, "invalid_request")
                }
                let large = [UInt8](repeating: 0x20, count: Call.maxBodyBytes + 1)
                try await post(large).expectEnvelope(413, "payload_too_large")
                try await post(nil).expectEnvelope(400, "invalid_request")
                let wrong = try await api.call(.put, path, as: credential, "{}")
                wrong.expectEnvelope(405, "method_not_allowed")
                #expect(wrong.headers[.allow] == "POST")
            }
            // A path without a route has the gateway's own error format.
            try await api.call(.post, API.copilotPath + "/x", as: account, "{}").expectProblem(404, "not_found")
        }
    }

    @Test("have rate limits and report when to retry")
    func rates() async throws {
        let limits = ServerLimits(rates: RateLimits(accountPerSecond: 1, sessionPerSecond: 1, addressPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            try await api.makeWiredBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            for _ in 0..<RateLimits.burstSeconds { #expect(try await api.generateKey(as: account).status == 200) }
            let refused = try await api.generateKey(as: account)
            refused.expectEnvelope(429, "rate_limited")
            #expect(refused["error"]?["retryable"]?.bool == true)
            let session = try await api.makeSession()
            for _ in 0..<RateLimits.burstSeconds { #expect(try await api.sign(as: session).status == 200) }
            try await api.sign(as: session).expectEnvelope(429, "rate_limited")
            // Callers that try tokens or credentials, by the address that a proxy on this host reports.
            let far: HTTPFields = [.xForwardedFor: "203.0.113.9"]
            for _ in 0..<RateLimits.burstSeconds {
                let reply = try await api.exchange(body: #"{"token":"x"}"#, headers: far)
                reply.expectEnvelope(401, "token_invalid", "malformed")
            }
            try await api.exchange(body: #"{"token":"x"}"#, headers: far).expectEnvelope(429, "rate_limited")
            for credential in [Credential.none, .bearer("x"), .basic("x", "y")] {
                let reply = try await api.call(.post, API.copilotPath, as: credential, "{}", headers: far)
                reply.expectEnvelope(429, "rate_limited")
            }
        }
    }

    @Test("report when to retry under overload")
    func overloaded() async throws {
        // No slots at all.
        let limits = ServerLimits(maxRequestsInFlight: 0)
        try await TestGateway.run(limits: limits) { api in
            let reply = try await api.generateKey(as: .none)
            reply.expectEnvelope(503, "overloaded")
            #expect(reply["error"]?["retryable"]?.bool == true)
        }
    }
}
