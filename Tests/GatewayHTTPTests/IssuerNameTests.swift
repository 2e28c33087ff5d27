import Crypto
import Foundation
import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The issuer in an assertion grant", .timeLimit(.minutes(10)))
struct IssuerNameTests {
    @Test("an issuer's display name in the request chooses among issuers, and an unknown name is reported (R61)")
    func displayName() async throws {
        let key = P256.Signing.PrivateKey()
        let pem = key.publicKey.pemRepresentation.replacing("\n", with: "\\n")
        @Sendable func part(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        @Sendable func token(_ claims: String) throws -> String {
            let text = part(Data(#"{"alg":"ES256"}"#.utf8)) + "." + part(Data(claims.utf8))
            return text + "." + part(try key.signature(for: Data(text.utf8)).rawRepresentation)
        }
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeSDKKey(name: "web")
            func issuer(_ issuer: String, _ more: String) async throws -> String {
                let made = try await api.call(
                    .post,
                    "/v1/brands/acme/credentials",
                    #"{"kind":"jwtIssuer","name":"i","issuer":"\#(issuer)","algorithm":"ES256","publicKey":"\#(pem)"\#(more)}"#
                )
                try #require(made.status == 201, "\(made.text)")
                return try #require(made["id"]?.string)
            }
            let shop = try await issuer("https://shop.example/", #","issuerDisplayName":"Shop""#)
            _ = try await issuer("https://shop.example/", "")
            _ = try await issuer("https://bank.example/", #","issuerDisplayName":"Bank""#)
            func login(_ iss: String, _ named: String?, _ more: String = "") async throws -> Reply {
                let now = api.clock.now.seconds
                let claims = #"{"iss":"https://\#(iss).example/","sub":"u-1","iat":\#(now),"exp":\#(now + 600)}"#
                let issuer = named.map { #","issuer":"\#($0)""# } ?? ""
                let body = #"{"grant":"assertion","token":"\#(try token(claims))"\#(issuer)\#(more)}"#
                return try await api.call(.post, "/v1/brands/acme/sessions", as: .none, body)
            }
            for (iss, name) in [("shop", "Shop"), ("shop", nil), ("bank", "Bank"), ("bank", nil)] {
                #expect(try await login(iss, name).status == 201, "\(iss), \(name ?? "none")")
            }
            for (iss, name) in [("shop", "Bank"), ("shop", "Nobody"), ("bank", "bank"), ("bank", ""), ("no", "Bank")] {
                let reply = try await login(iss, name)
                reply.expectProblem(401, "token_invalid")
                #expect(reply["reason"]?.string == "unknown_issuer", "\(iss), \(name)")
            }
            // The key of the named issuer counts, and no SDK key has such a name.
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(shop)").status == 204)
            #expect(try await login("shop", "Shop")["reason"]?.string == "unknown_issuer")
            #expect(try await login("shop", nil).status == 201)
            let keyed = api.token(api.claims(#","iss":"web","identifier":"u-1""#))
            for name in ["Bank", "Nobody"] {
                for more in ["", #","sdkKeyName":"web""#] {
                    let body = #"{"grant":"assertion","token":"\#(keyed)","issuer":"\#(name)"\#(more)}"#
                    let reply = try await api.call(.post, "/v1/brands/acme/sessions", as: .none, body)
                    #expect(reply["reason"]?.string == "unknown_issuer", "\(reply.text)")
                }
            }
        }
    }
}
