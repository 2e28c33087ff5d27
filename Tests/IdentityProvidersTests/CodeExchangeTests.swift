import GatewayModel
import GatewayStorage
import HTTPTransfers
import Identity
import PushSimulator
import Telemetry
import TestSupport
import Testing

@testable import IdentityProviders

@Suite("A code", .timeLimit(.minutes(10)))
struct CodeExchangeTests {
    private typealias Fixture = ProviderFixture

    @Test(
        "is redeemed at its provider, with the secret in the form that the provider wants (R50)",
        arguments: IdentityProviderDetails.ClientAuthentication.allCases,
        [true, false]
    )
    func way(clientAuth: IdentityProviderDetails.ClientAuthentication, isSecure: Bool) async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                let address = isSecure ? fixture.secure : fixture.plain
                let id = try await gateway.provider(at: address, clientAuth: clientAuth, pkce: .required)
                fixture.issue("code +&=/1", challenge: Fixture.challenge, subject: "u-7")
                let redemption = try await gateway.redeem("code +&=/1", verifier: Fixture.verifier).get()
                #expect(redemption.credentialID == id && redemption.provider.clientAuth == clientAuth)
                let jws = try #require(CompactJWS(redemption.idToken))
                #expect(jws.claims["sub"]?.stringValue == "u-7" && jws.claims["aud"]?.stringValue == Fixture.clientID)
                #expect(fixture.asked == 1)
                let text = fixture.registry.render()
                #expect(text.contains(#"switchboard_identity_code_exchanges_total{result="redeemed"} 1"#))
            }
        }
    }

    @Test("is used once: also after a restart, and for any result of the first time (R51)")
    func once() async throws {
        try await Fixture.with { fixture in
            fixture.issue("first")
            try await fixture.gateway { gateway in
                try await gateway.provider()
                #expect(await gateway.rejection("first") == nil)
                #expect(await gateway.rejection("first") == .tokenInvalid(.codeReused))
                fixture.issue("second")
                fixture.rule(RuleAction(status: 503))
                let refused = await gateway.rejection("second")
                #expect(refused?.isUpstream == true)
                fixture.simulator.setRules([])
            }
            // The provider would accept both.
            fixture.issue("first")
            fixture.issue("second")
            try await fixture.gateway { gateway in
                #expect(await gateway.rejection("first") == .tokenInvalid(.codeReused))
                #expect(await gateway.rejection("second") == .tokenInvalid(.codeReused))
                #expect(fixture.asked == 2)
                fixture.clock.advance(seconds: 3599)
                #expect(await gateway.rejection("first") == .tokenInvalid(.codeReused))
            }
        }
    }

    @Test("is used once for all credentials of its client at the endpoint, for any spelling of them")
    func onceForAll() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider("one", at: fixture.secure)
                let other = fixture.secure.replacing("https://localhost", with: "HTTPS://LOCALHOST")
                try await gateway.provider("two", at: other)
                fixture.issue("c")
                #expect(await gateway.rejection("c", issuer: "one") == nil)
                fixture.issue("c")
                #expect(await gateway.rejection("c", issuer: "two") == .tokenInvalid(.codeReused))
                // Another client's codes are different ones.
                try await gateway.provider("three", at: fixture.secure, clientID: "another client")
                #expect(await gateway.rejection("c", issuer: "three") != .tokenInvalid(.codeReused))
                #expect(fixture.asked == 2)
            }
        }
    }

    @Test("presented fifty times at once reaches its provider once")
    func race() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider()
                fixture.issue("wanted")
                let results = await withTaskGroup(of: CodeExchangeError?.self) { group in
                    for _ in 0..<50 { group.addTask { await gateway.rejection("wanted") } }
                    return await group.reduce(into: [CodeExchangeError?]()) { $0.append($1) }
                }
                #expect(results.count { $0 == nil } == 1 && fixture.asked == 1)
                // A caller without a slot may try again.
                #expect(results.allSatisfy { $0 == nil || $0 == .tokenInvalid(.codeReused) || $0 == .overloaded })
            }
        }
    }

    @Test("with a wrong redirect URI or verifier is marked as used (R52, R59, R60)")
    func burnt() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider(pkce: .required)
                let wrong: [(redirectURI: String, verifier: String?, reason: TokenInvalidReason)] = [
                    (Fixture.redirectURI + "/", Fixture.verifier, .redirectMismatch),
                    ("HTTPS://app.example/back?x=1", Fixture.verifier, .redirectMismatch),
                    ("", Fixture.verifier, .redirectMismatch),
                    (Fixture.redirectURI, nil, .pkceMismatch),
                    (Fixture.redirectURI, "", .pkceMismatch),
                    (Fixture.redirectURI, String(repeating: "a", count: 42), .pkceMismatch),
                    (Fixture.redirectURI, String(repeating: "a", count: 129), .pkceMismatch),
                    (Fixture.redirectURI, String(repeating: "a", count: 42) + "=", .pkceMismatch),
                    (Fixture.redirectURI, String(repeating: "a", count: 42) + "é", .pkceMismatch),
                ]
                for (number, one) in wrong.enumerated() {
                    fixture.issue("c-\(number)", challenge: Fixture.challenge)
                    let first = await gateway.rejection(
                        "c-\(number)",
                        redirectURI: one.redirectURI,
                        verifier: one.verifier
                    )
                    #expect(first == .tokenInvalid(one.reason), "\(one)")
                    let again = await gateway.rejection("c-\(number)", verifier: Fixture.verifier)
                    #expect(again == .tokenInvalid(.codeReused))
                }
                #expect(fixture.asked == 0)
            }
        }
    }

    @Test("whose verifier the provider rejects is a PKCE mismatch, and used there too")
    func wrongVerifier() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider()
                let other = String(repeating: "a", count: 43)
                for (code, verifier) in [("wrong", other), ("plain", Fixture.challenge), ("missing", nil)] {
                    fixture.issue(code, challenge: Fixture.challenge)
                    #expect(await gateway.rejection(code, verifier: verifier) == .tokenInvalid(.pkceMismatch))
                    #expect(
                        await gateway.rejection(code, verifier: Fixture.verifier) == .tokenInvalid(.codeReused)
                    )
                }
                // The app sends a registered redirect URI, but not the code's.
                fixture.issue("elsewhere", redirectURI: "app.example:/other")
                #expect(await gateway.rejection("elsewhere") == .tokenInvalid(.redirectMismatch))
                #expect(await gateway.rejection("never-given") == .tokenInvalid(.revoked))
                #expect(fixture.asked == 5)
            }
        }
    }

    @Test("goes to the one provider that is meant, and to none when that is ambiguous")
    func issuers() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                let unknown = CodeExchangeError.tokenInvalid(.unknownIssuer)
                #expect(await gateway.rejection("c") == unknown)
                // A decomposed ü: it looks the same but has other bytes.
                try await gateway.provider("Zu\u{308}rich")
                #expect(await gateway.rejection("c", issuer: "Z\u{FC}rich") == unknown)
                fixture.issue("c")
                #expect(await gateway.rejection("c", issuer: "Zu\u{308}rich") == nil)
                fixture.issue("d")
                #expect(await gateway.rejection("d") == nil)
                let second = try await gateway.provider("Bern")
                #expect(await gateway.rejection("e") == unknown)
                // Another endpoint makes it another provider.
                let third = try await gateway.provider("Bern", at: fixture.secure)
                #expect(await gateway.rejection("e", issuer: "Bern") == unknown)
                try await gateway.directory.revokeCredential(brand: Fixture.brand, id: third)
                fixture.issue("e")
                #expect(try await gateway.redeem("e", issuer: "Bern").get().credentialID == second)
                try await gateway.directory.revokeCredential(brand: Fixture.brand, id: second)
                #expect(await gateway.rejection("f", issuer: "Bern") == unknown)
                try await gateway.provider("Bern", expiresAt: fixture.clock.now.adding(seconds: 5))
                fixture.issue("f")
                #expect(await gateway.rejection("f", issuer: "Bern") == nil)
                fixture.clock.advance(seconds: 5)
                #expect(await gateway.rejection("g", issuer: "Bern") == unknown)
                #expect(await gateway.rejection("g", issuer: "") == unknown)
            }
        }
    }

    @Test("uses the newest credential of its provider during a rotation", arguments: ["Bern", nil])
    func rotation(name: String?) async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                let old = try await gateway.provider(name)
                fixture.issue("a")
                #expect(try await gateway.redeem("a", issuer: name).get().credentialID == old)
                fixture.clock.advance(seconds: 1)
                let new = try await gateway.provider(name, clientAuth: .body)
                // Codes used with the old one stay used.
                #expect(await gateway.rejection("a", issuer: name) == .tokenInvalid(.codeReused))
                for issuer in Set([name, nil]) {
                    let code = "b-\(issuer ?? "")"
                    fixture.issue(code)
                    let redemption = try await gateway.redeem(code, issuer: issuer).get()
                    #expect(redemption.credentialID == new && redemption.provider.clientAuth == .body)
                }
            }
            // Loaded again from the store, and then without the old one.
            try await fixture.gateway { gateway in
                let ids = gateway.directory.identityProviders(brand: Fixture.brand).map(\.credentialID)
                try #require(ids.count == 2)
                fixture.issue("c")
                let redemption = try await gateway.redeem("c", issuer: name).get()
                #expect(redemption.credentialID == ids[0] && redemption.provider.clientAuth == .body)
                try await gateway.directory.revokeCredential(brand: Fixture.brand, id: ids[1])
                fixture.issue("d")
                #expect(try await gateway.redeem("d", issuer: name).get().credentialID == ids[0])
                // An expired one is replaced by one that is still valid.
                fixture.clock.advance(seconds: 1)
                let brief = try await gateway.provider(name, expiresAt: fixture.clock.now.adding(seconds: 5))
                fixture.issue("e")
                #expect(try await gateway.redeem("e", issuer: name).get().credentialID == brief)
                fixture.clock.advance(seconds: 5)
                fixture.issue("f")
                #expect(try await gateway.redeem("f", issuer: name).get().credentialID == ids[0])
            }
        }
    }

    @Test(
        "with invalid syntax is rejected before any request",
        arguments: ["", String(repeating: "a", count: 2049), "a\u{0}", "a\n", "\u{7F}", "é"]
    )
    func malformed(code: String) async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider()
                #expect(await gateway.rejection(code) == .tokenInvalid(.malformed))
                let long = String(repeating: "a", count: 2048)
                fixture.issue(long)
                #expect(await gateway.rejection(long) == nil)
            }
        }
    }

    @Test("is lost with a provider that misbehaves, whose response is not passed on, and is not sent again")
    func misbehaviour() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider(at: fixture.secure)
                let huge = Array(#"{"id_token":"\#(String(repeating: "a", count: 70_000))"}"#.utf8)
                let actions: [RuleAction] = [
                    RuleAction(status: 500, reason: "secret words"), RuleAction(status: 503),
                    RuleAction(status: 302, body: Array("moved".utf8), location: fixture.plain + "/jwks"),
                    RuleAction(status: 307, location: fixture.secure + "/token"),
                    RuleAction(status: 429, reason: "secret words"), RuleAction(status: 403),
                    RuleAction(status: 404), RuleAction(html: "secret words"), RuleAction(status: 200, html: "fine"),
                    RuleAction(body: huge), RuleAction(body: []), RuleAction(body: Array("{}".utf8)),
                    RuleAction(body: Array(#"{"id_token":7}"#.utf8)), RuleAction(body: Array(#"{"id_token":""}"#.utf8)),
                    RuleAction(body: Array(#"{"id_token":"a","id_token":"b"}"#.utf8)), RuleAction(body: [0xFF, 0xFE]),
                    RuleAction(status: 401, reason: "invalid_client"),
                    RuleAction(status: 400, reason: "unauthorized_client"),
                    RuleAction(status: 400, reason: "secret words"), RuleAction(status: 400, html: "secret words"),
                    RuleAction(drops: true), RuleAction(resetCode: 7), RuleAction(goAway: .init(coversRequest: false)),
                    RuleAction(truncates: true),
                ]
                for (number, action) in actions.enumerated() {
                    fixture.rule(action)
                    fixture.issue("c-\(number)")
                    let error = await gateway.rejection("c-\(number)")
                    #expect(error?.isUpstream == true, "\(action)")
                    // Neither the provider's response nor its status is passed on: the caller only learns that it is
                    // unavailable.
                    #expect(error?.text == "The identity provider is unavailable; try again later.")
                    #expect(error?.operatorText?.contains("words") == false)
                    #expect(fixture.asked == number + 1, "\(action)")
                }
                #expect(await gateway.rejection("c-0") == .tokenInvalid(.codeReused))
            }
        }
    }

    @Test("at a provider that hangs ends at its timeout, and the seventeenth is rejected and stays unused")
    func hanging() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider("slow")
                try await gateway.provider("other", at: fixture.secure)
                fixture.rule(RuleAction(isSilent: true))
                try await withThrowingTaskGroup(of: CodeExchangeError?.self) { group in
                    for number in 0..<16 { group.addTask { await gateway.rejection("c-\(number)", issuer: "slow") } }
                    try await until("all wait") { fixture.asked == 16 }
                    fixture.simulator.setRules([])
                    fixture.issue("late")
                    #expect(await gateway.rejection("late", issuer: "slow") == .overloaded)
                    #expect(fixture.asked == 16)
                    fixture.issue("theirs")
                    #expect(await gateway.rejection("theirs", issuer: "other") == nil)
                    for try await error in group { #expect(error?.isUpstream == true) }
                }
                #expect(await gateway.rejection("late", issuer: "slow") == nil)
            }
        }
    }

    @Test("that the store cannot record is sent to no provider, and the store's error is returned")
    func noStore() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider()
                fixture.issue("c")
                await gateway.store.close()
                #expect(await gateway.rejection("c") == .storage(.closed))
                #expect(fixture.asked == 0)
                let text = fixture.registry.render()
                #expect(text.contains(#"switchboard_identity_code_exchanges_total{result="storage"} 1"#))
            }
        }
    }

    @Test("and its keys are set over the control port")
    func control() async throws {
        try await Fixture.with { fixture in
            let client = TransferClient()
            func order(_ method: String, _ path: String, _ body: String) async throws -> Int {
                let url = fixture.plain + path
                let request = TransferRequest(method, url, body: Array(body.utf8), timeout: .seconds(20))
                return try await client.send(request, maxBodyBytes: 1 << 20).status
            }
            let code = #"{"code":"c","redirectUri":"\#(Fixture.redirectURI)","clientId":"\#(Fixture.clientID)","#
            let status = try await order("PUT", "/codes", "[\(code)\"claims\":{\"sub\":\"u-9\"}}]")
            #expect(status == 204)
            #expect(try await order("PUT", "/codes", "[{}]") == 400)
            #expect(try await order("POST", "/keys", #"{"algorithm":"ES256"}"#) == 200)
            #expect(try await order("POST", "/keys", #"{"algorithm":"none"}"#) == 400)
            try await fixture.gateway { gateway in
                try await gateway.provider()
                let token = try await gateway.redeem("c").get().idToken
                let jws = try #require(CompactJWS(token))
                #expect(jws.header["alg"]?.stringValue == "ES256" && jws.claims["sub"]?.stringValue == "u-9")
            }
        }
    }

    @Test("is not sent to a private network, to this host by another name, or to an untrusted host")
    func guarded() async throws {
        try await Fixture.with { fixture in
            try await fixture.gateway { gateway in
                try await gateway.provider("private", at: "https://10.0.0.1")
                try await gateway.provider("metadata", at: "https://169.254.169.254")
                try await gateway.provider("other host", at: "https://sub.localhost:\(fixture.simulator.apns.port)")
                for name in ["private", "metadata"] {
                    // Twice: it is not marked as used for a forbidden address.
                    for _ in 0..<2 {
                        let text = await gateway.rejection("c", issuer: name)?.operatorText
                        #expect(text == "The identity provider's address is not allowed.")
                    }
                }
                #expect(await gateway.rejection("c", issuer: "other host")?.isUpstream == true)
                #expect(fixture.asked == 0)
            }
        }
    }
}
