import GatewayModel
import Testing
import TextFormats

@testable import Identity

@Suite("The claims of the operators' identity provider")
struct OperatorProviderTests {
    private static func provider(
        name: String = "sub",
        _ mapping: [OperatorProvider.Rule] = []
    ) -> OperatorProvider {
        OperatorProvider(
            issuer: "https://idp.example",
            clientID: "c",
            clientSecret: "s",
            nameClaim: name,
            rolesClaim: "https://example.com/roles",
            mapping: mapping
        )
    }

    private static func claims(_ text: String) throws -> StrictJSON.Members {
        guard case .object(let members) = try StrictJSON.parse(Array(text.utf8)) else { return [:] }
        return members
    }

    private static func words(_ grants: [OperatorGrant]) -> [String] {
        grants.map { $0.role.rawValue + ($0.brand.map { "@\($0)" } ?? "") }
    }

    @Test(
        "values are roles, one or a list; the highest of each place counts, others give none",
        arguments: [
            (#""admin""#, ["admin"]), (#"["viewer@b","viewer@a","support@a"]"#, ["support@a", "viewer@b"]),
            (#"["viewer","operator","support"]"#, ["operator"]), ("null", []), ("7", []), (#"{"a":"admin"}"#, []),
            (#"["Admin","admin ","admin@","","@a","admin@a@b","viewer@a b",7,["admin"],"viewer admin"]"#, []),
        ]
    )
    func roles(value: String, expected: [String]) throws {
        let claims = try Self.claims(#"{"https://example.com/roles":\#(value),"roles":"admin"}"#)
        #expect(Self.words(Self.provider().grants(claims)) == expected)
    }

    @Test("with a mapping only its values give roles, compared as bytes, and one may give several")
    func mapping() throws {
        let (a, b) = (BrandID(trusted: "a"), BrandID(trusted: "b"))
        let rules: [OperatorProvider.Rule] = [
            .init(value: "ops", grant: OperatorGrant(.operator, in: a)),
            .init(value: "ops", grant: OperatorGrant(.viewer, in: b)),
            .init(value: "\u{E9}", grant: OperatorGrant(.admin, in: nil)),
        ]
        let claims = try Self.claims(#"{"https://example.com/roles":["ops","admin","Ops","e\u0301"]}"#)
        #expect(Self.words(Self.provider(rules).grants(claims)) == ["operator@a", "viewer@b"])
    }

    @Test(
        "the name is the claim, or the hash of one that does not fit; two persons never have one name",
        arguments: [
            ("dana@example.com", "oidc:dana@example.com"), ("auth0|1", nil), ("~x", nil), ("session", "oidc:session"),
            ("Dana \u{E9}", nil), (String(repeating: "x", count: 124), nil),
        ] as [(String, String?)]
    )
    func names(subject: String, name: String?) throws {
        let found = try Self.provider().name(Self.claims(#"{"sub":"\#(subject)"}"#))
        #expect(found.rawValue == name ?? found.rawValue && found.rawValue.hasPrefix("oidc:~") == (name == nil))
        #expect(OperatorName.isValid(found.rawValue) && found.isOfProvider)
        // A person who is called like the hash.
        let own = String(found.rawValue.dropFirst("oidc:".count))
        let other = try Self.provider().name(Self.claims(#"{"sub":"\#(own)"}"#))
        #expect((other == found) == (own == subject))
    }

    @Test("a name is required; an address counts only when the provider has verified it")
    func missing() throws {
        for text in ["{}", #"{"sub":""}"#, #"{"sub":7}"#, #"{"sub":null}"#] {
            #expect(throws: AuthenticationError.missingClaim("sub")) {
                try Self.provider().name(Self.claims(text))
            }
        }
        let provider = Self.provider(name: "email")
        for verified in ["", #","email_verified":false"#, #","email_verified":"true""#] {
            #expect(throws: AuthenticationError.invalidClaim(name: "email_verified", detail: "is not true")) {
                try provider.name(Self.claims(#"{"sub":"1","email":"dana@example.com"\#(verified)}"#))
            }
        }
        let found = try provider.name(Self.claims(#"{"email":"dana@example.com","email_verified":true}"#))
        #expect(found.rawValue == "oidc:dana@example.com")
    }

    @Test(
        "names with the provider's prefix differ from others",
        arguments: [
            ("oidc:dana", true), ("oidc:~x", true), ("oidc:", false), ("oidc:a b", false), ("dana", true),
            ("da~na", false), ("da:na", false), ("OIDC:dana", false), ("oidc:session", true), ("session", false),
        ]
    )
    func valid(name: String, isValid: Bool) {
        #expect(OperatorName.isValid(name) == isValid)
        #expect(OperatorName(name)?.isOfProvider ?? false == (isValid && name.hasPrefix("oidc:")))
    }
}
