import Crypto
import Foundation
import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A token that a session had signed has no more rights than the session", .timeLimit(.minutes(10)))
struct CCAISessionTokenTests {
    private static let unread = "/v1/brands/acme/unread"

    private static func signed(_ api: API, as credential: Credential, query: String = "") async throws -> String {
        let reply = try await api.sign(as: credential, query: query)
        return try #require(reply["token"]?.string, "\(reply.text)")
    }

    private static func session(_ reply: Reply, _ name: String = "auth_token") throws -> Credential {
        .bearer(try #require(reply[name]?.string, "\(reply.text)"))
    }

    /// The stored form of a session's token, as in the claim.
    static func claim(_ credential: Credential) throws -> String {
        guard case .bearer(let token) = credential else { throw CancellationError() }
        return Data(SHA256.hash(data: Data(token.utf8))).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
    }

    /// The grant of the gateway's own API, which accepts the same tokens.
    private static func grant(_ api: API, _ token: String, _ more: String = "") async throws -> Reply {
        let body = #"{"grant":"assertion","token":"\#(token)"\#(more)}"#
        return try await api.call(.post, "/v1/brands/acme/sessions", as: .none, body)
    }

    @Test("the device is that of the session")
    func device() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let bound = try await api.makeSession("u-1", device: "d-1")
            let token = try await Self.signed(api, as: bound)
            for more in ["", #","device_id":"d-1""#] {
                let made = try Self.session(try await api.exchange(token, more))
                #expect(try await api.register("d-1", as: made).status < 300)
                try await api.register("d-2", as: made).expectProblem(403, "forbidden")
            }
            try await api.exchange(token, #","device_id":"d-2""#).expectEnvelope(403, "forbidden")
            try await Self.grant(api, token, #","deviceId":"d-2""#).expectProblem(403, "forbidden")
            let granted = try Self.session(try await Self.grant(api, token), "sessionToken")
            try await api.register("d-2", as: granted).expectProblem(403, "forbidden")
            // A session that is bound to no device may still be bound.
            let free = try await Self.signed(api, as: try await api.makeSession("u-1"))
            let made = try Self.session(try await api.exchange(free, #","device_id":"d-2""#))
            try await api.register("d-1", as: made).expectProblem(403, "forbidden")
            #expect(try await api.register("d-2", as: made).status < 300)
        }
    }

    @Test("the end is that of the session, after any number of exchanges")
    func end() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            var session = try await api.makeSession("u-1")
            for left in [3600, 3100, 2600, 2100, 1600, 1100, 600, 100] {
                let made = try await api.exchange(try await Self.signed(api, as: session))
                #expect(made["expires_in"]?.int == left)
                session = try Self.session(made)
                if left > 100 { api.clock.advance(seconds: 500) }
            }
            let token = try await Self.signed(api, as: session)
            #expect(try await api.call(.get, Self.unread, as: session).status == 200)
            api.clock.advance(seconds: 100)
            try await api.call(.get, Self.unread, as: session).expectProblem(401, "token_expired")
            try await api.exchange(token).expectEnvelope(401, "token_expired")
            try await Self.grant(api, token).expectProblem(401, "token_expired")
        }
    }

    @Test("after a logout the token cannot be exchanged")
    func logout() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let session = try await api.makeSession("u-1")
            let token = try await Self.signed(api, as: session)
            #expect(try await api.exchange(token).status == 200)
            let path = "/v1/brands/acme/sessions/current"
            #expect(try await api.call(.delete, path, as: session).status == 204)
            try await api.exchange(token).expectEnvelope(401, "token_invalid", "revoked")
            let granted = try await Self.grant(api, token)
            #expect(granted.status == 401 && granted["reason"]?.string == "revoked", "\(granted.text)")
        }
    }

    @Test("revoking the credential that opened the session ends all sessions that result from it")
    func revocation() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            guard case .basic(let id, _) = account else { return }
            let path = "/v1/brands/acme/consumers/u-1/sessions"
            let session = try Self.session(try await api.call(.post, path, as: account, "{}"), "sessionToken")
            let token = try await Self.signed(api, as: session)
            let made = try Self.session(try await api.exchange(token))
            #expect(try await api.call(.get, Self.unread, as: made).status == 200)
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await api.call(.get, Self.unread, as: made).expectProblem(401, "token_invalid")
            try await api.exchange(token).expectEnvelope(401, "token_invalid", "revoked")
        }
    }

    @Test("a back-end's signature is bound to no session, and nobody can write the claim")
    func claim() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            try await api.makeWiredBrand("other")
            let account = try await api.makeAccount("acme", "sessions:mint")
            let session = try await api.makeSession("u-1")
            let token = try await Self.signed(api, as: account, query: "?consumer=u-1")
            #expect(try await api.exchange(token)["expires_in"]?.int == 3600)
            let hash = try Self.claim(session)
            for caller in [account, session] {
                for value in ["null", #""\#(hash)""#] {
                    let payload = #"{"switchboard_session":\#(value)}"#
                    let reply = try await api.sign(as: caller, payload, query: "?consumer=u-1")
                    reply.expectEnvelope(400, "invalid_request")
                }
            }
            func claimed(_ value: String, _ consumer: String = "u-1") -> String {
                api.token(api.claims(#","identifier":"\#(consumer)","switchboard_session":\#(value)"#))
            }
            let good = "\"\(hash)\""
            let before = try await api.dump()["consumers"]
            try await api.exchange(claimed(good, "u-2")).expectEnvelope(401, "token_invalid", "revoked")
            try await api.exchange(claimed(good), keyName: "other").expectEnvelope(401, "token_invalid", "revoked")
            for value in ["7", "null", #""""#, #""x""#, "\"\(hash)A\"", "\"\(hash)=\"", "[\(good)]"] {
                try await api.exchange(claimed(value)).expectEnvelope(401, "token_invalid", "malformed")
            }
            #expect(try await api.dump()["consumers"] == before, "a consumer was created")
            #expect(try await api.exchange(claimed(good)).status == 200)
        }
    }
}
