import Foundation
import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The CCAI signing service", .timeLimit(.minutes(10)))
struct CCAISigningTests {
    /// A token's header and claims.
    private func parts(_ reply: Reply) throws -> (header: JSON, claims: JSON, token: String) {
        try #require(reply.status == 200, "\(reply.text)")
        #expect(try reply.json().names == ["token"])
        #expect(reply.headers[.cacheControl] == "no-store")
        let token = try #require(reply["token"]?.string)
        let parts = token.split(separator: ".").map { part in
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) ?? Data()
        }
        try #require(parts.count == 3)
        return (
            try JSON(String(decoding: parts[0], as: UTF8.self)), try JSON(String(decoding: parts[1], as: UTF8.self)),
            token
        )
    }

    @Test("a consumer's session has its payload signed, and the exchange accepts it (R20-R23)")
    func session() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let profile = #","identifier":"u-1","name":"Ada","phone":"+15550100""#
            #expect(try await api.exchange(api.token(api.claims(profile))).status == 200)
            let session = try await api.makeSession("u-1")
            let payload = #"""
                {"push_token":"aabbccdd","identifier":"u-2","name":"Default","email":"chosen@example.com","phone":"0",
                "iss":"x","iat":1.5,"exp":"never","custom":{"order":[1,-2,true,null,"\"\\\u0001é😀"]},"":""}
                """#
            let (header, claims, token) = try parts(try await api.sign(as: session, payload))
            #expect(header == (try JSON(#"{"alg":"HS256","typ":"JWT","kid":"acme"}"#)))
            let now = api.clock.now.seconds
            let expected = #"""
                {"push_token":"aabbccdd","identifier":"u-1","name":"Ada","phone":"+15550100","iss":"acme",
                "iat":\#(now),"exp":\#(now + 600),
                "custom":{"order":[1,-2,true,null,"\"\\\u0001é😀"]},"":"",
                "switchboard_session":"\#(try CCAISessionTokenTests.claim(session))"}
                """#
            #expect(claims == (try JSON(expected)))
            let made = try await api.exchange(token, #","device_id":"d-1""#)
            #expect(made["end_user"]?["id"]?.string == "u-1", "\(made.text)")
            let device = try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d-1?consumer=u-1")
            #expect(device.status == 200)
            api.clock.advance(seconds: 605)
            try await api.exchange(token).expectEnvelope(401, "token_expired")
        }
    }

    @Test(
        "R191: signing and exchange read JSON whatever its Content-Type",
        arguments: [nil, "application/x-www-form-urlencoded", "text/plain;charset=UTF-8", "x", ""] as [String?]
    )
    func mediaTypes(_ type: String?) async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let session = try await api.makeSession("u-1")
            let body = #"{"payload":{"push_token":"aabbccdd"}}"#
            let signed = try await api.call(.post, API.signPath, as: session, body, type: type)
            let (_, claims, token) = try parts(signed)
            #expect(claims["push_token"]?.string == "aabbccdd")
            let name = try #require(HTTPField.Name("X-SDK-Key-Name"))
            let exchange = #"{"token":"\#(token)"}"#
            let made = try await api.call(
                .post,
                API.exchangePath,
                as: .none,
                exchange,
                type: type,
                headers: [name: "acme"]
            )
            #expect(made.status == 200, "\(made.text)")
            let form = try await api.call(.post, API.signPath, as: session, "payload=x", type: type)
            form.expectEnvelope(400, "invalid_request")
        }
    }

    @Test(
        "a device does not choose its consumer's email and phone (R22), but its name while that is unknown (R21)"
    )
    func unknownProfile() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let payload = #"{"name":"Default","email":"chosen@example.com","phone":"+15550199"}"#
            let session = try await api.makeSession("u-1")
            let (_, claims, token) = try parts(try await api.sign(as: session, payload))
            #expect(claims["name"]?.string == "Default")
            #expect(claims["email"] == nil && claims["phone"] == nil)
            #expect(try await api.exchange(token).status == 200)
            // The back-end provides the data.
            let account = try await api.makeAccount("acme", "sessions:mint")
            let (_, trusted, _) = try parts(try await api.sign(as: account, payload, query: "?consumer=u-1"))
            #expect(trusted["email"]?.string == "chosen@example.com" && trusted["phone"]?.string == "+15550199")
        }
    }

    @Test("a back-end that may create sessions names the user, who need not exist")
    func backend() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            let (_, claims, token) = try parts(try await api.sign(as: account, query: "?consumer=%C3%A9%22x"))
            #expect(claims["identifier"]?.string == "é\"x")
            #expect(claims.names == ["identifier", "iss", "iat", "exp"])
            #expect(try await api.exchange(token)["end_user"]?["id"]?.string == "é\"x")
            for query in ["", "?consumer=", "?consumer=a&consumer=b", "?consumer=u-1&app=a%20b", "?consumer=%zz"] {
                try await api.sign(as: account, query: query).expectEnvelope(400, "invalid_request")
            }
        }
    }

    @Test("no other caller gets a token (R22)")
    func callers() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand("acme", #","anonymousConsumers":true"#)
            for credential in [
                Credential.none, .admin, .bearer("abc"), .raw("Basic !"), .basic("nobody", "x"), .raw("Digest x"),
            ] {
                let reply = try await api.call(.post, API.signPath + "?consumer=u-1", as: credential, "not json")
                #expect(reply.status == 401, "\(credential)")
                #expect(reply["token"] == nil && reply["error"]?["code"] != nil, "\(reply.text)")
            }
            let account = try await api.makeAccount("acme", "consumers:write")
            try await api.sign(as: account, query: "?consumer=u-1").expectEnvelope(403, "forbidden")
            // A session acts for its own consumer.
            let session = try await api.makeSession("u-1")
            try await api.sign(as: session, query: "?consumer=u-2").expectEnvelope(403, "forbidden")
            #expect(try await api.sign(as: session, query: "?consumer=u-1").status == 200)
            // The id of an anonymous account is not an identity.
            let anonymous = try await api.exchange(api.token(api.claims()))
            let nobody = Credential.bearer(try #require(anonymous["auth_token"]?.string))
            try await api.sign(as: nobody).expectEnvelope(403, "forbidden")
            api.clock.advance(seconds: 3600)
            try await api.sign(as: session).expectEnvelope(401, "token_expired")
        }
    }

    @Test("a payload that is missing, not an object, too large, or with members that are not signed is 400 (R24)")
    func payloads() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let session = try await api.makeSession("u-1")
            for body in [
                "", "not json", "[]", "{}", #"{"payload":null}"#, #"{"payload":[]}"#, #"{"payload":"x"}"#,
                #"{"payload":{"a":1,"a":2}}"#,
            ] {
                let reply = try await api.call(.post, API.signPath, as: session, body)
                reply.expectEnvelope(400, "invalid_request")
            }
            let deep = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
            func text(_ count: Int) -> String { #"{"a":"\#(String(repeating: "x", count: count))"}"# }
            for payload in [
                #"{"nbf":1}"#, #"{"sub":"u-2"}"#, #"{"aud":null}"#, #"{"jti":"x"}"#, #"{"a":\#(deep)}"#, text(4089),
            ] {
                try await api.sign(as: session, payload).expectEnvelope(400, "invalid_request")
            }
            let account = try await api.makeAccount("acme", "sessions:mint")
            for payload in [#"{"phone":"12345"}"#, #"{"name":7}"#, #"{"push_token":[]}"#] {
                let reply = try await api.sign(as: account, payload, query: "?consumer=u-1")
                reply.expectEnvelope(400, "invalid_claim")
            }
            let (_, _, token) = try parts(try await api.sign(as: session, text(4088)))
            #expect(try await api.exchange(token).status == 200)
            let shallow = #"{"a":\#(deep.dropFirst().dropLast())}"#
            let (_, _, nested) = try parts(try await api.sign(as: session, shallow))
            #expect(try await api.exchange(nested).status == 200)
        }
    }

    @Test("R193: the signing service keeps numbers with a fraction")
    func fractions() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let session = try await api.makeSession("u-1")
            let payload = #"{"a":1.5,"b":[-0.25,1e3],"c":123456789012345678901,"iat":1700000000.5}"#
            let (_, claims, token) = try parts(try await api.sign(as: session, payload))
            #expect(claims["a"] == .number(1.5))
            #expect(claims["b"] == .array([.number(-0.25), .number(1000)]))
            #expect(claims["c"] == .number(123_456_789_012_345_683_968))
            #expect(claims["iat"]?.int == Int(api.clock.now.seconds))
            #expect(try await api.exchange(token).status == 200)
        }
    }

    @Test("the newest active key signs, one for all apps before one for an app, or the key of the named app")
    func keys() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand()
            let session = try await api.makeSession("u-1")
            func signer(_ query: String = "") async throws -> String? {
                let (header, claims, token) = try parts(try await api.sign(as: session, query: query))
                let name = header["kid"]?.string
                #expect(claims["iss"]?.string == name)
                #expect(try await api.exchange(token, keyName: name).status == 200)
                return name
            }
            api.clock.advance(seconds: 1)
            try await api.makeSDKKey(name: "ios", #","app":"ios""#)
            #expect(try await signer() == "acme")
            #expect(try await signer("?app=ios") == "ios")
            try await api.sign(as: session, query: "?app=web").expectEnvelope(409, "conflict")
            api.clock.advance(seconds: 1)
            let until = api.clock.now.adding(seconds: 60).rfc3339
            try await api.makeSDKKey(name: "hs512", #","algorithm":"HS512","expiresAt":"\#(until)""#)
            #expect(try await signer() == "hs512")
            api.clock.advance(seconds: 60)
            #expect(try await signer() == "acme")
            try await api.makeSDKKey(name: "hs384", #","algorithm":"HS384""#)
            #expect(try await signer() == "hs384")
            let items = try #require(try await api.call(.get, "/v1/brands/acme/credentials").json()["items"]?.items)
            for item in items where ["acme", "hs384"].contains(item["name"]?.string) {
                let id = try #require(item["id"]?.string)
                #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            }
            #expect(try await signer() == "ios")
            // Another brand's keys sign nothing here.
            try await api.makeWiredBrand("other")
            let empty = try await api.makeAccount("other", "sessions:mint")
            let (header, _, _) = try parts(try await api.sign(as: empty, query: "?consumer=u-1"))
            #expect(header["kid"]?.string == "other")
        }
    }
}
