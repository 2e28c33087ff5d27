package import GatewayModel
internal import TextFormats

/// The identity provider of operators (OpenID Connect), and what its claims mean here.
package struct OperatorProvider: Sendable, Equatable {
    /// A value of the roles' claim, compared as bytes, and the role that it gives.
    package struct Rule: Sendable, Equatable {
        /// The value.
        package var value: String
        /// The role.
        package var grant: OperatorGrant

        /// Creates a rule.
        package init(value: String, grant: OperatorGrant) {
            self.value = value
            self.grant = grant
        }
    }

    /// The maximum number of roles that a person gets.
    private static let maxGrants = 64

    /// The issuer, which is also where its configuration is published.
    package var issuer: String
    /// The gateway's client id there.
    package var clientID: String
    /// The client secret there.
    package var clientSecret: String
    /// The scopes that are requested, separated by spaces.
    package var scopes: String
    /// The claim that names the person: unique, never given to somebody else, and not chosen by the person.
    package var nameClaim: String
    /// The claim with the roles, a text or a list of texts.
    package var rolesClaim: String
    /// The roles that values of that claim give; if empty, the values are roles.
    package var mapping: [Rule]

    /// Creates a provider.
    package init(
        issuer: String,
        clientID: String,
        clientSecret: String,
        scopes: String = "openid profile email",
        nameClaim: String = "sub",
        rolesClaim: String,
        mapping: [Rule] = []
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.nameClaim = nameClaim
        self.rolesClaim = rolesClaim
        self.mapping = mapping
    }

    /// Returns the roles of a person; other values of the claim give none.
    func grants(_ claims: StrictJSON.Members) -> [OperatorGrant] {
        let values: [String] =
            switch BoundedName(rolesClaim).flatMap({ claims[$0] }) {
            case .string(let text)?: [text]
            case .array(let items)?: items.compactMap(\.text)
            default: []
            }
        let grants = values.flatMap { value in
            mapping.isEmpty
                ? [OperatorGrant(text: value)].compactMap(\.self)
                : mapping.filter { $0.value.hasSameBytes(as: value) }.map(\.grant)
        }
        return Array(grants.inOrder.prefix(Self.maxGrants))
    }

    /// Returns the name of a person's account: `oidc:` and the claim, or a tilde and its hash where it does not fit.
    func name(_ claims: StrictJSON.Members) throws(AuthenticationError) -> OperatorName {
        guard let text = BoundedName(nameClaim).flatMap({ claims[$0]?.text }), !text.isEmpty else {
            throw .missingClaim(nameClaim)
        }
        // Somebody could enter another person's address (OpenID Connect Core section 5.7).
        if nameClaim.hasSameBytes(as: "email"), claims["email_verified"] != .bool(true) {
            throw .invalidClaim(name: "email_verified", detail: "is not true")
        }
        let own = OperatorName.providerPrefix + text
        if !text.utf8.contains(UInt8(ascii: "~")), let name = OperatorName(own) { return name }
        let hash = StrictBase64.encode(SecretHash.sha256(text.utf8), .url)
        return OperatorName(trusted: OperatorName.providerPrefix + "~" + hash)
    }
}
