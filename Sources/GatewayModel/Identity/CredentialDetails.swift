/// What is public about a credential of each kind: what operators see of it again, and nothing secret.
///
/// Encodes flat, as the members of its kind (BrandsAndApps page) with `kind` beside them.
package enum CredentialDetails: Sendable, Equatable {
    /// What a service account may do.
    case serviceAccount(scopes: [Scope])
    /// Nothing but its name.
    case apiKey
    /// The only algorithm that it verifies, the app that it is for, if it is for one, and the limits of its assertions.
    case sdkKey(algorithm: HMACAlgorithm, app: AppID?, limits: AssertionLimits = AssertionLimits())
    /// Who signs, and with what.
    case jwtIssuer(JWTIssuerDetails)
    /// The only algorithm that it opens, and the half of it that senders need.
    case jweKey(algorithm: KeyEncryptionAlgorithm, publicKey: PublicKeyDetails)
    /// Where codes are redeemed, and who signs what comes back.
    case identityProvider(IdentityProviderDetails)
    /// Nothing but its name.
    case customerTokenKey
    /// The account at Talkdesk.
    case tokenBroker(TokenBrokerDetails)

    /// The kind of credential that these belong to.
    package var kind: CredentialKind {
        switch self {
        case .serviceAccount: .serviceAccount
        case .apiKey: .apiKey
        case .sdkKey: .sdkKey
        case .jwtIssuer: .jwtIssuer
        case .jweKey: .jweKey
        case .identityProvider: .identityProvider
        case .customerTokenKey: .customerTokenKey
        case .tokenBroker: .tokenBroker
        }
    }

    /// The app that it is bound to, if it is bound to one.
    package var app: AppID? {
        switch self {
        case .sdkKey(_, let app, _): app
        case .tokenBroker(let broker): broker.app
        case .serviceAccount, .apiKey, .jwtIssuer, .jweKey, .identityProvider, .customerTokenKey: nil
        }
    }
}

extension CredentialDetails: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, scopes, algorithm, app
    }

    /// Reads the flat object.
    ///
    /// - Parameter decoder: Holds it.
    /// - Throws: `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(CredentialKind.self, forKey: .kind) {
        case .serviceAccount: self = .serviceAccount(scopes: try members.decode([Scope].self, forKey: .scopes))
        case .apiKey: self = .apiKey
        case .sdkKey:
            let app = try members.decodeIfPresent(String.self, forKey: .app)
            self = .sdkKey(
                algorithm: try members.decode(HMACAlgorithm.self, forKey: .algorithm),
                app: app.map(AppID.init(trusted:)),
                limits: try AssertionLimits(from: decoder)
            )
        case .jwtIssuer: self = .jwtIssuer(try JWTIssuerDetails(from: decoder))
        case .jweKey:
            self = .jweKey(
                algorithm: try members.decode(KeyEncryptionAlgorithm.self, forKey: .algorithm),
                publicKey: try PublicKeyDetails(from: decoder)
            )
        case .identityProvider: self = .identityProvider(try IdentityProviderDetails(from: decoder))
        case .customerTokenKey: self = .customerTokenKey
        case .tokenBroker: self = .tokenBroker(try TokenBrokerDetails(from: decoder))
        }
    }

    /// Writes the flat object.
    ///
    /// - Parameter encoder: Takes it.
    /// - Throws: What the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .kind)
        switch self {
        case .serviceAccount(let scopes): try members.encode(scopes, forKey: .scopes)
        case .apiKey, .customerTokenKey: break
        case .sdkKey(let algorithm, let app, let limits):
            try members.encode(algorithm, forKey: .algorithm)
            try members.encodeIfPresent(app?.rawValue, forKey: .app)
            try limits.encode(to: encoder)
        case .jwtIssuer(let issuer): try issuer.encode(to: encoder)
        case .jweKey(let algorithm, let publicKey):
            try members.encode(algorithm, forKey: .algorithm)
            try publicKey.encode(to: encoder)
        case .identityProvider(let provider): try provider.encode(to: encoder)
        case .tokenBroker(let broker): try broker.encode(to: encoder)
        }
    }
}
