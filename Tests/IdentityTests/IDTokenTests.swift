import GatewayModel
import Testing

@testable import Identity

@Suite("Id tokens of identity providers", .timeLimit(.minutes(10)))
struct IDTokenTests {
    private static let provider = IdentityProviderDetails(
        issuer: Issuer.name,
        issuerDisplayName: "Login",
        tokenEndpoint: "https://login.example/token",
        clientId: "client-1",
        clientAuth: .basic,
        redirectUris: ["app://callback"],
        pkce: .required,
        key: Issuer.details().key
    )

    private static func claims(_ changes: [String: String?] = [:]) -> String {
        Issuer.claims(["aud": #""client-1""#].merging(changes) { $1 })
    }

    @Test("one is accepted when the provider signed it for the gateway, plain or encrypted, else rejected")
    func idTokens() async throws {
        let reasons: [([String: String?], TokenInvalidReason?)] = [
            ([:], nil), (["aud": #"["x","client-1"]"#, "azp": #""client-1""#], nil), (["aud": nil], .wrongAudience),
            (["aud": #""client-2""#], .wrongAudience), (["aud": #"["client-1"]"#, "azp": #""x""#], .wrongAudience),
            (["azp": "7"], .wrongAudience), (["iss": nil], .missingClaim), (["iss": #""https://x/""#], .unknownIssuer),
            (["iss": "\"\(Issuer.name.dropLast())\""], .unknownIssuer), (["iss": "7"], .unknownIssuer),
            (["sub": nil], .missingClaim), (["exp": nil], .missingClaim), (["iat": nil], .missingClaim),
            (["iat": "\(Gateway.start + 61)"], .notYetValid), (["exp": #""1""#], .malformed),
        ]
        try await Gateway.with { gateway in
            let issued = try await gateway.directory.issue(
                .identityProvider(Self.provider, clientSecret: "secret"),
                brand: Gateway.acme,
                name: "idp"
            )
            let (_, sealer) = try await gateway.sealer()
            func rejection(_ token: String, brand: BrandID = Gateway.acme) async -> AuthenticationError? {
                do {
                    let found = try await gateway.verifier.verifyIDToken(
                        token,
                        of: Self.provider,
                        credentialID: issued.summary.id,
                        brand: brand,
                        clientID: "client-1"
                    )
                    #expect(found.consumer.rawValue == "consumer-1" && found.credential == issued.summary.id)
                    #expect(found.keyName == "idp")
                    return nil
                } catch { return error }
            }
            for (changes, reason) in reasons {
                let token = try Issuer.token(claims: Self.claims(changes))
                let expected: AuthenticationError? = reason.map { .tokenInvalid($0) }
                #expect(await rejection(token)?.withoutName == expected, "\(changes)")
                #expect(await rejection(try sealer.token(token))?.withoutName == expected, "\(changes)")
            }
            let expired = try Issuer.token(claims: Self.claims(["exp": "1"]))
            #expect(await rejection(expired) == .tokenExpired)
            let forged = try Issuer.token(claims: Self.claims(["exp": "1"]), key: Issuer.otherRSA)
            #expect(await rejection(forged) == .tokenInvalid(.badSignature))
            let wrong = try Issuer.token(.ps256, claims: Self.claims())
            #expect(await rejection(wrong) == .tokenInvalid(.wrongAlgorithm))
            let good = try Issuer.token(claims: Self.claims())
            #expect(await rejection(good, brand: Gateway.other) == .tokenInvalid(.revoked))
            // An identity provider is not an issuer of assertions: its tokens are for the code flow.
            await #expect(throws: AuthenticationError.tokenInvalid(.unknownIssuer)) {
                try await gateway.verifier.verify(good, keyName: nil, brand: Gateway.acme)
            }
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: issued.summary.id)
            #expect(await rejection(good) == .tokenInvalid(.revoked))
        }
    }
}
