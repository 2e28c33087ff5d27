import AsyncHTTPClient
import GatewayModel
import GatewayStorage
import Identity
import NIOCore
import NIOHTTP1
import PushSimulator
import Telemetry
import TestSupport
import Testing

@testable import IdentityProviders

@Suite("A code", .timeLimit(.minutes(10)))
struct CodeExchangeTests {
    private typealias Stage = ProviderStage

    @Test(
        "is redeemed at its provider, with the secret in the form that the provider wants",
        arguments: IdentityProviderDetails.ClientAuthentication.allCases,
        [true, false]
    )
    func way(clientAuth: IdentityProviderDetails.ClientAuthentication, isSecure: Bool) async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                let address = isSecure ? stage.secure : stage.plain
                let id = try await gateway.provider(at: address, clientAuth: clientAuth, pkce: .required)
                stage.give("code +&=/1", challenge: Stage.challenge, subject: "u-7")
                let redemption = try await gateway.redeem("code +&=/1", verifier: Stage.verifier).get()
                #expect(redemption.credentialID == id && redemption.provider.clientAuth == clientAuth)
                let jws = try #require(CompactJWS(redemption.idToken))
                #expect(jws.claims["sub"]?.stringValue == "u-7" && jws.claims["aud"]?.stringValue == Stage.clientID)
                #expect(stage.asked == 1)
                let text = stage.registry.render()
                #expect(text.contains(#"switchboard_identity_code_exchanges_total{result="redeemed"} 1"#))
            }
        }
    }

    @Test("is used once: also after a restart, and for any result of the first time")
    func once() async throws {
        try await Stage.with { stage in
            stage.give("first")
            try await stage.gateway { gateway in
                try await gateway.provider()
                #expect(await gateway.refusal("first") == nil)
                #expect(await gateway.refusal("first") == .tokenInvalid(.codeReused))
                stage.give("second")
                stage.rule(RuleAction(status: 503))
                let refused = await gateway.refusal("second")
                #expect(refused?.isUpstream == true)
                stage.simulator.setRules([])
            }
            // The provider would accept both.
            stage.give("first")
            stage.give("second")
            try await stage.gateway { gateway in
                #expect(await gateway.refusal("first") == .tokenInvalid(.codeReused))
                #expect(await gateway.refusal("second") == .tokenInvalid(.codeReused))
                #expect(stage.asked == 2)
                stage.clock.advance(seconds: 3599)
                #expect(await gateway.refusal("first") == .tokenInvalid(.codeReused))
            }
        }
    }

    @Test("is used once for all credentials of its client at the endpoint, for any spelling of them")
    func onceForAll() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider("one", at: stage.secure)
                let other = stage.secure.replacing("https://localhost", with: "HTTPS://LOCALHOST")
                try await gateway.provider("two", at: other)
                stage.give("c")
                #expect(await gateway.refusal("c", issuer: "one") == nil)
                stage.give("c")
                #expect(await gateway.refusal("c", issuer: "two") == .tokenInvalid(.codeReused))
                // Another client's codes are different ones.
                try await gateway.provider("three", at: stage.secure, clientID: "another client")
                #expect(await gateway.refusal("c", issuer: "three") != .tokenInvalid(.codeReused))
                #expect(stage.asked == 2)
            }
        }
    }

    @Test("presented fifty times at once reaches its provider once")
    func race() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider()
                stage.give("wanted")
                let results = await withTaskGroup(of: CodeExchangeError?.self) { group in
                    for _ in 0..<50 { group.addTask { await gateway.refusal("wanted") } }
                    return await group.reduce(into: [CodeExchangeError?]()) { $0.append($1) }
                }
                #expect(results.count { $0 == nil } == 1 && stage.asked == 1)
                // A caller without a slot may try again.
                #expect(results.allSatisfy { $0 == nil || $0 == .tokenInvalid(.codeReused) || $0 == .overloaded })
            }
        }
    }

    @Test("with a wrong redirect URI or verifier is marked as used")
    func burnt() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider(pkce: .required)
                let wrong: [(redirectURI: String, verifier: String?, reason: TokenInvalidReason)] = [
                    (Stage.redirectURI + "/", Stage.verifier, .redirectMismatch),
                    ("HTTPS://app.example/back?x=1", Stage.verifier, .redirectMismatch),
                    ("", Stage.verifier, .redirectMismatch),
                    (Stage.redirectURI, nil, .pkceMismatch),
                    (Stage.redirectURI, "", .pkceMismatch),
                    (Stage.redirectURI, String(repeating: "a", count: 42), .pkceMismatch),
                    (Stage.redirectURI, String(repeating: "a", count: 129), .pkceMismatch),
                    (Stage.redirectURI, String(repeating: "a", count: 42) + "=", .pkceMismatch),
                    (Stage.redirectURI, String(repeating: "a", count: 42) + "é", .pkceMismatch),
                ]
                for (number, one) in wrong.enumerated() {
                    stage.give("c-\(number)", challenge: Stage.challenge)
                    let first = await gateway.refusal(
                        "c-\(number)",
                        redirectURI: one.redirectURI,
                        verifier: one.verifier
                    )
                    #expect(first == .tokenInvalid(one.reason), "\(one)")
                    let again = await gateway.refusal("c-\(number)", verifier: Stage.verifier)
                    #expect(again == .tokenInvalid(.codeReused))
                }
                #expect(stage.asked == 0)
            }
        }
    }

    @Test("whose verifier the provider rejects is a PKCE mismatch, and used there too")
    func wrongVerifier() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider()
                let other = String(repeating: "a", count: 43)
                for (code, verifier) in [("wrong", other), ("plain", Stage.challenge), ("missing", nil)] {
                    stage.give(code, challenge: Stage.challenge)
                    #expect(await gateway.refusal(code, verifier: verifier) == .tokenInvalid(.pkceMismatch))
                    #expect(
                        await gateway.refusal(code, verifier: Stage.verifier) == .tokenInvalid(.codeReused)
                    )
                }
                // The app sends a registered redirect URI, but not the code's.
                stage.give("elsewhere", redirectURI: "app.example:/other")
                #expect(await gateway.refusal("elsewhere") == .tokenInvalid(.redirectMismatch))
                #expect(await gateway.refusal("never-given") == .tokenInvalid(.revoked))
                #expect(stage.asked == 5)
            }
        }
    }

    @Test("goes to the one provider that is meant, and to none when that is ambiguous")
    func issuers() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                let unknown = CodeExchangeError.tokenInvalid(.unknownIssuer)
                #expect(await gateway.refusal("c") == unknown)
                // A decomposed ü: it looks the same but has other bytes.
                try await gateway.provider("Zu\u{308}rich")
                #expect(await gateway.refusal("c", issuer: "Z\u{FC}rich") == unknown)
                stage.give("c")
                #expect(await gateway.refusal("c", issuer: "Zu\u{308}rich") == nil)
                stage.give("d")
                #expect(await gateway.refusal("d") == nil)
                let second = try await gateway.provider("Bern")
                #expect(await gateway.refusal("e") == unknown)
                // Another endpoint makes it another provider.
                let third = try await gateway.provider("Bern", at: stage.secure)
                #expect(await gateway.refusal("e", issuer: "Bern") == unknown)
                try await gateway.directory.revokeCredential(brand: Stage.brand, id: third)
                stage.give("e")
                #expect(try await gateway.redeem("e", issuer: "Bern").get().credentialID == second)
                try await gateway.directory.revokeCredential(brand: Stage.brand, id: second)
                #expect(await gateway.refusal("f", issuer: "Bern") == unknown)
                try await gateway.provider("Bern", expiresAt: stage.clock.now.adding(seconds: 5))
                stage.give("f")
                #expect(await gateway.refusal("f", issuer: "Bern") == nil)
                stage.clock.advance(seconds: 5)
                #expect(await gateway.refusal("g", issuer: "Bern") == unknown)
                #expect(await gateway.refusal("g", issuer: "") == unknown)
            }
        }
    }

    @Test("uses the newest credential of its provider during a rotation", arguments: ["Bern", nil])
    func rotation(name: String?) async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                let old = try await gateway.provider(name)
                stage.give("a")
                #expect(try await gateway.redeem("a", issuer: name).get().credentialID == old)
                stage.clock.advance(seconds: 1)
                let new = try await gateway.provider(name, clientAuth: .body)
                // Codes used with the old one stay used.
                #expect(await gateway.refusal("a", issuer: name) == .tokenInvalid(.codeReused))
                for issuer in Set([name, nil]) {
                    let code = "b-\(issuer ?? "")"
                    stage.give(code)
                    let redemption = try await gateway.redeem(code, issuer: issuer).get()
                    #expect(redemption.credentialID == new && redemption.provider.clientAuth == .body)
                }
            }
            // Loaded again from the store, and then without the old one.
            try await stage.gateway { gateway in
                let ids = gateway.directory.identityProviders(brand: Stage.brand).map(\.credentialID)
                try #require(ids.count == 2)
                stage.give("c")
                let redemption = try await gateway.redeem("c", issuer: name).get()
                #expect(redemption.credentialID == ids[0] && redemption.provider.clientAuth == .body)
                try await gateway.directory.revokeCredential(brand: Stage.brand, id: ids[1])
                stage.give("d")
                #expect(try await gateway.redeem("d", issuer: name).get().credentialID == ids[0])
                // An expired one is replaced by one that is still valid.
                stage.clock.advance(seconds: 1)
                let brief = try await gateway.provider(name, expiresAt: stage.clock.now.adding(seconds: 5))
                stage.give("e")
                #expect(try await gateway.redeem("e", issuer: name).get().credentialID == brief)
                stage.clock.advance(seconds: 5)
                stage.give("f")
                #expect(try await gateway.redeem("f", issuer: name).get().credentialID == ids[0])
            }
        }
    }

    @Test(
        "with invalid syntax is rejected before any request",
        arguments: ["", String(repeating: "a", count: 2049), "a\u{0}", "a\n", "\u{7F}", "é"]
    )
    func malformed(code: String) async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider()
                #expect(await gateway.refusal(code) == .tokenInvalid(.malformed))
                let long = String(repeating: "a", count: 2048)
                stage.give(long)
                #expect(await gateway.refusal(long) == nil)
            }
        }
    }

    @Test("is lost with a provider that misbehaves, whose response is not passed on, and is not sent again")
    func misbehaviour() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider(at: stage.secure)
                let huge = Array(#"{"id_token":"\#(String(repeating: "a", count: 70_000))"}"#.utf8)
                let actions: [RuleAction] = [
                    RuleAction(status: 500, reason: "secret words"), RuleAction(status: 503),
                    RuleAction(status: 302, body: Array("moved".utf8), location: stage.plain + "/jwks"),
                    RuleAction(status: 307, location: stage.secure + "/token"),
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
                    stage.rule(action)
                    stage.give("c-\(number)")
                    let error = await gateway.refusal("c-\(number)")
                    #expect(error?.isUpstream == true, "\(action)")
                    // Neither the provider's response nor its status is passed on: the caller only learns that it is
                    // unavailable.
                    #expect(error?.text == "The identity provider is unavailable; try again later.")
                    #expect(error?.operatorText?.contains("words") == false)
                    #expect(stage.asked == number + 1, "\(action)")
                }
                #expect(await gateway.refusal("c-0") == .tokenInvalid(.codeReused))
            }
        }
    }

    @Test("at a provider that hangs ends at its timeout, and the seventeenth is rejected and stays unused")
    func hanging() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider("slow")
                try await gateway.provider("other", at: stage.secure)
                stage.rule(RuleAction(isSilent: true))
                try await withThrowingTaskGroup(of: CodeExchangeError?.self) { group in
                    for number in 0..<16 { group.addTask { await gateway.refusal("c-\(number)", issuer: "slow") } }
                    try await until("all wait") { stage.asked == 16 }
                    stage.simulator.setRules([])
                    stage.give("late")
                    #expect(await gateway.refusal("late", issuer: "slow") == .overloaded)
                    #expect(stage.asked == 16)
                    stage.give("theirs")
                    #expect(await gateway.refusal("theirs", issuer: "other") == nil)
                    for try await error in group { #expect(error?.isUpstream == true) }
                }
                #expect(await gateway.refusal("late", issuer: "slow") == nil)
            }
        }
    }

    @Test("that the store cannot record is sent to no provider, and the store's error is returned")
    func noStore() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider()
                stage.give("c")
                await gateway.store.close()
                #expect(await gateway.refusal("c") == .storage(.closed))
                #expect(stage.asked == 0)
                let text = stage.registry.render()
                #expect(text.contains(#"switchboard_identity_code_exchanges_total{result="storage"} 1"#))
            }
        }
    }

    @Test("and its keys are set over the control port")
    func control() async throws {
        try await Stage.with { stage in
            func order(_ method: HTTPMethod, _ path: String, _ body: String) async throws -> UInt {
                var request = HTTPClientRequest(url: stage.plain + path)
                request.method = method
                request.body = .bytes(ByteBuffer(string: body))
                return try await HTTPClient.shared.execute(request, timeout: .seconds(20)).status.code
            }
            let code = #"{"code":"c","redirectUri":"\#(Stage.redirectURI)","clientId":"\#(Stage.clientID)","#
            let status = try await order(.PUT, "/codes", "[\(code)\"claims\":{\"sub\":\"u-9\"}}]")
            #expect(status == 204)
            #expect(try await order(.PUT, "/codes", "[{}]") == 400)
            #expect(try await order(.POST, "/keys", #"{"algorithm":"ES256"}"#) == 200)
            #expect(try await order(.POST, "/keys", #"{"algorithm":"none"}"#) == 400)
            try await stage.gateway { gateway in
                try await gateway.provider()
                let token = try await gateway.redeem("c").get().idToken
                let jws = try #require(CompactJWS(token))
                #expect(jws.header["alg"]?.stringValue == "ES256" && jws.claims["sub"]?.stringValue == "u-9")
            }
        }
    }

    @Test("is not sent to a private network, to this host by another name, or to an untrusted host")
    func guarded() async throws {
        try await Stage.with { stage in
            try await stage.gateway { gateway in
                try await gateway.provider("private", at: "https://10.0.0.1")
                try await gateway.provider("metadata", at: "https://169.254.169.254")
                try await gateway.provider("other host", at: "https://sub.localhost:\(stage.simulator.apns.port)")
                for name in ["private", "metadata"] {
                    // Twice: it is not marked as used for a forbidden address.
                    for _ in 0..<2 {
                        let text = await gateway.refusal("c", issuer: name)?.operatorText
                        #expect(text == "The identity provider's address is not allowed.")
                    }
                }
                #expect(await gateway.refusal("c", issuer: "other host")?.isUpstream == true)
                #expect(stage.asked == 0)
            }
        }
    }
}
