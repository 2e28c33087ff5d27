import Crypto
import GatewayModel
import GatewayStorage
import Testing
import TextFormats

@testable import Identity

@Suite("Credentials of every kind", .timeLimit(.minutes(10)))
struct CredentialTests {
    private static let app = AppID(trusted: "ios")
    private static let issuerKey = VerificationKey(
        algorithm: .rs256,
        keyId: "k1",
        source: .key(PublicKeyDetails(publicKey: PublicKeys.rsa2048, publicKeyFingerprint: ""))
    )
    private static let brokerKey = P256.Signing.PrivateKey().pemRepresentation

    /// One of each kind, and the secret that it imports.
    private static let requests: [(CredentialKind, CredentialRequest, String?)] = [
        (.serviceAccount, .serviceAccount(scopes: [.eventsWrite]), nil), (.apiKey, .apiKey, nil),
        (.sdkKey, .sdkKey(algorithm: .hs256, secret: Signer.secret, app: app), Signer.secret),
        (
            .jwtIssuer,
            .jwtIssuer(JWTIssuerDetails(issuer: "i", issuerDisplayName: nil, audience: nil, key: issuerKey)), nil
        ),
        (.jweKey, .jweKey(algorithm: .ecdhES, privateKey: nil), nil),
        (.jweKey, .jweKey(algorithm: .rsaOAEP256, privateKey: nil), nil),
        (
            .identityProvider,
            .identityProvider(
                IdentityProviderDetails(
                    issuer: "i",
                    issuerDisplayName: "d",
                    tokenEndpoint: "https://idp.example/token",
                    clientId: "c",
                    clientAuth: .basic,
                    redirectUris: ["app://cb"],
                    pkce: .required,
                    key: issuerKey
                ),
                clientSecret: "the-client-secret"
            ), "the-client-secret"
        ),
        (.customerTokenKey, .customerTokenKey(secret: nil), nil),
        (
            .tokenBroker,
            .tokenBroker(
                app: app,
                tokenUrl: "https://t.example",
                clientId: "c",
                keyId: "k",
                scope: "s",
                privateKey: brokerKey,
                decider: AccessDecider(url: "https://d.example", secret: WebhookSecret())
            ), brokerKey
        ),
    ]

    private static func with(_ body: (Gateway) async throws -> Void) async throws {
        try await Gateway.with { gateway in
            let settings = AppSettings(platform: .ios, apns: Gateway.apns)
            _ = try await gateway.directory.putApp(brand: Gateway.acme, app: app, settings: settings)
            try await body(gateway)
        }
    }

    @Test("reversible secrets are sealed, secrets that are only compared are hashed, and none is stored in plain text")
    func kept() async throws {
        try await Self.with { gateway in
            for (kind, request, brought) in Self.requests {
                let issued = try await gateway.directory.issue(request, brand: Gateway.acme, name: "n \(kind)")
                let stored = try #require(try await gateway.store.credentials().last { $0.id == issued.summary.id })
                #expect(stored.kind == kind && stored.details == issued.summary.details)
                let context = Directory.sealingContext(brand: Gateway.acme, credential: stored.id)
                let opened = try stored.sealedSecret.map {
                    String(decoding: try SecretBox(key: gateway.key).open($0, context: context), as: UTF8.self)
                }
                switch request {
                case .serviceAccount, .apiKey:
                    let secret = try #require(issued.secret)
                    #expect(stored.secretHash == SecretHash.sha256(secret.utf8) && opened == nil)
                case .sdkKey, .customerTokenKey:
                    #expect(opened == issued.secret && stored.secretHash == nil)
                    #expect((opened?.utf8.count ?? 0) >= 32)
                case .jwtIssuer: #expect(opened == nil && stored.secretHash == nil && issued.secret == nil)
                case .jweKey: #expect(opened?.contains("PRIVATE KEY") == true && issued.secret == nil)
                case .identityProvider: #expect(opened == brought && issued.secret == nil)
                case .tokenBroker:
                    #expect(opened?.contains("PRIVATE KEY") == true)
                    let secret = try #require(issued.secret)
                    #expect(stored.secretHash == SecretHash.sha256(secret.utf8))
                }
                let shown = "\(issued.summary)"
                for secret in [brought, issued.secret, opened].compactMap(\.self) where !secret.isEmpty {
                    #expect(!shown.contains(secret))
                }
            }
            let expected = gateway.directory.credentials(brand: Gateway.acme)
            #expect(expected.count == Self.requests.count)
            #expect(try await gateway.reloaded().credentials(brand: Gateway.acme) == expected)
        }
    }

    @Test("public keys are shown with their fingerprints, also those of private keys")
    func publicKeys() async throws {
        try await Self.with { gateway in
            let issuer = try await gateway.directory.issue(Self.requests[3].1, brand: Gateway.acme, name: "i")
            guard case .jwtIssuer(let details) = issuer.summary.details, case .key(let key) = details.key.source else {
                Issue.record("\(issuer.summary.details)")
                return
            }
            #expect(key.publicKeyFingerprint == PublicKeys.rsa2048Fingerprint)
            let broker = try await gateway.directory.issue(Self.requests[8].1, brand: Gateway.acme, name: "b")
            guard case .tokenBroker(let account) = broker.summary.details else {
                Issue.record("a credential of another kind")
                return
            }
            let own = try P256.Signing.PrivateKey(pemRepresentation: Self.brokerKey).publicKey.derRepresentation
            #expect(account.publicKey.publicKeyFingerprint == Hexadecimal.text(SecretHash.sha256(own)))
        }
    }

    @Test("invalid keys and secrets are rejected with their member")
    func refused() async throws {
        try await Self.with { gateway in
            var weak = Self.issuerKey
            weak.source = .key(PublicKeyDetails(publicKey: PublicKeys.rsa1024, publicKeyFingerprint: ""))
            let issuer = JWTIssuerDetails(issuer: "i", issuerDisplayName: nil, audience: nil, key: weak)
            let cases: [(CredentialRequest, String)] = [
                (.jwtIssuer(issuer), "/publicKey"), (.jweKey(algorithm: .ecdhES, privateKey: "x"), "/privateKey"),
                (.jweKey(algorithm: .rsaOAEP, privateKey: Self.brokerKey), "/privateKey"),
                (.customerTokenKey(secret: "short"), "/secret"),
            ]
            for (request, pointer) in cases {
                do throws(DirectoryError) {
                    _ = try await gateway.directory.issue(request, brand: Gateway.acme, name: "x")
                    Issue.record("accepted: \(pointer)")
                } catch {
                    guard case .invalid(let problems) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                    #expect(problems.map(\.pointer) == [pointer])
                }
            }
            #expect(gateway.directory.credentials(brand: Gateway.acme).isEmpty)
        }
    }

    @Test("names other than an SDK key's may repeat, so that a second key is created before the first is revoked")
    func rotation() async throws {
        try await Self.with { gateway in
            let directory = gateway.directory
            for (kind, request, _) in Self.requests where kind != .sdkKey {
                let first = try await directory.issue(request, brand: Gateway.acme, name: "same")
                let second = try await directory.issue(request, brand: Gateway.acme, name: "same")
                #expect(first.summary.id != second.summary.id)
                try await directory.revokeCredential(brand: Gateway.acme, id: first.summary.id)
                #expect(directory.credential(brand: Gateway.acme, id: first.summary.id) == nil)
                #expect(directory.credential(brand: Gateway.acme, id: second.summary.id) == second.summary)
                #expect(directory.credential(brand: Gateway.other, id: second.summary.id) == nil)
            }
        }
    }

    @Test("a brand has a maximum of credentials, and revoking one makes room")
    func limit() async throws {
        try await Self.with { gateway in
            let directory = gateway.directory
            for _ in 0..<Directory.maxCredentialsPerBrand {
                _ = try await directory.issue(.apiKey, brand: Gateway.acme, name: "x")
            }
            await #expect(throws: DirectoryError.tooManyCredentials) {
                try await directory.issue(.apiKey, brand: Gateway.acme, name: "x")
            }
            _ = try await directory.issue(.apiKey, brand: Gateway.other, name: "x")
            let first = try #require(directory.credentials(brand: Gateway.acme).first)
            try await directory.revokeCredential(brand: Gateway.acme, id: first.id)
            _ = try await directory.issue(.apiKey, brand: Gateway.acme, name: "x")
        }
    }
}
