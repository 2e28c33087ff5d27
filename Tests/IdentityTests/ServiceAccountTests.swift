import Foundation
import GatewayModel
import TestSupport
import Testing

@testable import Identity

@Suite("Back-ends authenticate with a service account", .timeLimit(.minutes(10)))
struct ServiceAccountTests {
    private static func basic(_ id: String, _ secret: String) -> String {
        "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
    }

    private static func withAccount(
        scopes: [Scope] = [.eventsWrite],
        expiresAt: Timestamp? = nil,
        _ body: (Gateway, IssuedCredential, ServiceAccountAuthenticator) async throws -> Void
    ) async throws {
        try await Gateway.with { gateway in
            let issued = try await gateway.directory.issue(
                .serviceAccount(scopes: scopes),
                brand: Gateway.acme,
                name: "crm",
                expiresAt: expiresAt
            )
            let authenticator = ServiceAccountAuthenticator(directory: gateway.directory, clock: gateway.clock)
            try await body(gateway, issued, authenticator)
        }
    }

    @Test("the right secret is accepted, on its brand and on a path without a brand")
    func right() async throws {
        try await Self.withAccount(scopes: [.eventsWrite, .sessionsMint]) { _, issued, authenticator in
            let header = Self.basic(issued.summary.id, issued.secret ?? "")
            let expected = ServiceAccountIdentity(
                id: issued.summary.id,
                name: "crm",
                brand: Gateway.acme,
                scopes: [.eventsWrite, .sessionsMint]
            )
            for brand in [Gateway.acme, nil] {
                let identity = try authenticator.authenticate(authorization: header, brand: brand)
                #expect(identity == expected)
            }
        }
    }

    @Test("everything else is unauthorized, without a reason")
    func refused() async throws {
        try await Self.withAccount { _, issued, authenticator in
            let (id, secret) = (issued.summary.id, try #require(issued.secret))
            let good = Self.basic(id, secret)
            let encoded = String(good.dropFirst(6))
            let headers: [String?] = [
                nil, "", "Basic", "Basic ", "Bearer \(secret)", "Bearer \(encoded)", encoded, "Digest \(encoded)",
                Self.basic(id, ""), Self.basic(id, secret + "x"), Self.basic(id, String(secret.dropLast())),
                Self.basic(id, ":" + secret), Self.basic("", secret), Self.basic("sa_unknown", secret),
                Self.basic(id.uppercased(), secret), Self.basic(secret, id), "Basic \(id):\(secret)", good + "=",
                good + " ", "Basic !" + encoded, "Basic " + encoded.replacingOccurrences(of: "=", with: "") + "A",
                "Basic " + Data("\(id)\(secret)".utf8).base64EncodedString(),
                "Basic " + Data([0xFF, 0xFE, 0x3A] + Array(secret.utf8)).base64EncodedString(),
                "Basic " + String(repeating: "QUFB", count: 2000),
            ]
            for header in headers {
                #expect(throws: AuthenticationError.unauthorized, "\(header ?? "none")") {
                    try authenticator.authenticate(authorization: header, brand: Gateway.acme)
                }
            }
        }
    }

    @Test("another brand's account is unauthorized")
    func otherBrand() async throws {
        try await Self.withAccount { _, issued, authenticator in
            #expect(throws: AuthenticationError.unauthorized) {
                try authenticator.authenticate(
                    authorization: Self.basic(issued.summary.id, issued.secret ?? ""),
                    brand: Gateway.other
                )
            }
        }
    }

    @Test("an account expires at its time, to the millisecond")
    func expiry() async throws {
        let end = Timestamp(milliseconds: (Gateway.start + 10) * 1000)
        try await Self.withAccount(expiresAt: end) { gateway, issued, authenticator in
            let header = Self.basic(issued.summary.id, issued.secret ?? "")
            gateway.clock.advance(seconds: 9)
            #expect(throws: Never.self) { try authenticator.authenticate(authorization: header) }
            gateway.clock.advance(seconds: 1)
            #expect(throws: AuthenticationError.unauthorized) {
                try authenticator.authenticate(authorization: header)
            }
        }
    }

    @Test("a revoked account is rejected when the revocation returns, and after a restart")
    func revoked() async throws {
        try await Self.withAccount { gateway, issued, authenticator in
            let header = Self.basic(issued.summary.id, issued.secret ?? "")
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: issued.summary.id)
            #expect(throws: AuthenticationError.unauthorized) { try authenticator.authenticate(authorization: header) }
            let later = ServiceAccountAuthenticator(directory: try await gateway.reloaded(), clock: gateway.clock)
            #expect(throws: AuthenticationError.unauthorized) { try later.authenticate(authorization: header) }
        }
    }

    @Test(
        "an account has the permissions of its scopes, brand:admin has all, and consumers:write reads",
        arguments: Scope.allCases
    )
    func scopes(scope: Scope) async throws {
        try await Self.withAccount(scopes: [scope]) { _, issued, authenticator in
            let identity = try authenticator.authenticate(
                authorization: Self.basic(issued.summary.id, issued.secret ?? "")
            )
            for wanted in Scope.allCases {
                let isIncluded = scope == .brandAdmin || (scope, wanted) == (.consumersWrite, .consumersRead)
                #expect(identity.allows(wanted) == (wanted == scope || isIncluded))
            }
        }
    }
}

extension ServiceAccountAuthenticator {
    /// Authenticates by the whole header, as a request is.
    fileprivate func authenticate(
        authorization: String?,
        brand: BrandID? = nil
    ) throws(AuthenticationError) -> ServiceAccountIdentity {
        guard let authorization, case .basic(let encoded)? = AuthorizationHeader(authorization) else {
            throw .unauthorized
        }
        return try authenticate(basic: encoded, brand: brand)
    }
}
