import HTTPTypes
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The Copilot.cx adaptor", .timeLimit(.minutes(10)))
struct CopilotRouteTests {
    @Test("a service account creates keys for a user; each is new, and each is a session of the user (R1, R5)")
    func mint() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(metrics: metrics) { api in
            try await api.makeWiredBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            let first = try await api.generateKey(as: account)
            #expect(first.status == 200, "\(first.text)")
            #expect(try first.json().names == ["auth_key"])
            #expect(first.headers[.cacheControl] == "no-store")
            let second = try await api.generateKey(as: account)
            #expect(first["auth_key"] != second["auth_key"])
            try await api.post("evt-1")
            for reply in [first, second] {
                let session = Credential.bearer(try #require(reply["auth_key"]?.string))
                let unread = try await api.call(.get, "/v1/brands/acme/unread", as: session)
                #expect(unread["unread"]?.int == 1, "\(unread.text)")
            }
        }
        #expect(metrics.value(#"switchboard_sessions_opened_total{grant="copilot"}"#) == 2)
    }

    @Test("credentials that are missing, of another scheme, undecodable or wrong get the same 401 (R2)")
    func unauthorized() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            guard case .basic(let id, _) = try await api.makeAccount("acme", "sessions:mint") else {
                Issue.record("a credential of another kind")
                return
            }
            let session = try await api.makeSession()
            let before = try await api.dump()
            var messages: Set<String> = []
            for credential in [
                Credential.none, .raw("Basic"), .raw("Basic !!!"), .raw("Digest abc"), .basic("nobody", "secret"),
                .basic(id, "wrong"), .basic(id, ""), .admin, session, .bearer("abc"),
            ] {
                // The body is not read (R3).
                let reply = try await api.generateKey(as: credential, "not json")
                reply.expectEnvelope(401, "unauthorized")
                messages.insert(reply["error"]?["message"]?.string ?? "")
            }
            #expect(messages.count == 1)
            #expect(try await api.dump() == before, "a session was created")
        }
    }

    @Test("the account needs the scope; brand:admin includes it")
    func scopes() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let account = try await api.makeAccount("acme", "events:write", "consumers:write")
            try await api.generateKey(as: account, "not json").expectEnvelope(403, "forbidden")
            let administrator = try await api.makeAccount("acme", "brand:admin")
            #expect(try await api.generateKey(as: administrator).status == 200)
        }
    }

    @Test("a body without a user is 400 (R3); other members are ignored")
    func bodies() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            let before = try await api.dump()
            for body in [
                "", "not json", "[]", "{}", #"{"user_id":""}"#, #"{"user_id":null}"#, #"{"user_id":7}"#,
                #"{"user_id":["u-1"]}"#, #"{"user_id":{}}"#, #"{"user_id":"u\u0000"}"#, #"{"userId":"u-1"}"#,
                #"{"user_id":"\#(String(repeating: "u", count: 257))"}"#, #"{"user_id":"u-1","user_id":"u-2"}"#,
                #"{"user_id":"u-1","x":{"a":1,"a":2}}"#,
            ] {
                try await api.generateKey(as: account, body).expectEnvelope(400, "invalid_request")
            }
            #expect(try await api.dump() == before)
            let made = try await api.generateKey(as: account, #"{"user_id":"u-1","deviceId":"d-1","more":[1.5]}"#)
            #expect(made.status == 200)
            // The device does not matter: a session of any device may be used from any other.
            let session = Credential.bearer(try #require(made["auth_key"]?.string))
            #expect(try await api.register("d-2", as: session).status == 201)
        }
    }

    @Test("a key belongs to the account's brand (R4) and its user (R6), and it expires (R7)")
    func bounds() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            try await api.makeWiredBrand("other")
            let account = try await api.makeAccount("acme", "sessions:mint")
            let key = try #require(try await api.generateKey(as: account)["auth_key"]?.string)
            let session = Credential.bearer(key)
            let elsewhere = try await api.call(.get, "/v1/brands/other/unread", as: session)
            elsewhere.expectProblem(401, "token_invalid")
            let another = try await api.call(.get, "/v1/brands/acme/unread?consumer=u-2", as: session)
            another.expectProblem(403, "forbidden")
            let garbled = try await api.call(.get, "/v1/brands/acme/unread", as: .bearer(key + "x"))
            garbled.expectProblem(401, "token_invalid")
            api.clock.advance(seconds: 3600)
            let late = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            late.expectProblem(401, "token_expired")
        }
    }

    @Test("a key ends with the account that created it, and the account of a deleted brand is unknown")
    func ends() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let accounts = [
                try await api.makeAccount("acme", "sessions:mint"), try await api.makeAccount("acme", "sessions:mint"),
            ]
            guard case .basic(let id, _) = accounts[0] else {
                Issue.record("a credential of another kind")
                return
            }
            let key = try await api.generateKey(as: accounts[0])
            let session = Credential.bearer(try #require(key["auth_key"]?.string))
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200)
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_invalid")
            try await api.generateKey(as: accounts[0]).expectEnvelope(401, "unauthorized")
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            try await api.generateKey(as: accounts[1]).expectEnvelope(401, "unauthorized")
        }
    }
}
