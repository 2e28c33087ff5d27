/// The public part of a credential of each kind, as operators can read it; nothing of it is secret.
///
/// It encodes flat, as the members of its kind (BrandsAndApps page) together with `kind`.
package enum CredentialDetails: Sendable, Equatable {
    /// The scopes of a service account.
    case serviceAccount(scopes: [Scope])
    /// No more than its name.
    case apiKey
    /// The only algorithm that it verifies, the app that it is bound to, if any, and the limits of its assertions.
    case sdkKey(algorithm: HMACAlgorithm, app: AppID?, limits: AssertionLimits = AssertionLimits())
    /// The signer of assertions and its key.
    case jwtIssuer(JWTIssuerDetails)
    /// The only algorithm that it decrypts, and the public key for senders.
    case jweKey(algorithm: KeyEncryptionAlgorithm, publicKey: PublicKeyDetails)
    /// The token endpoint for codes, and the signer of id tokens.
    case identityProvider(IdentityProviderDetails)
    /// No more than its name.
    case customerTokenKey
    /// The account at Talkdesk.
    case tokenBroker(TokenBrokerDetails)

    /// The kind of credential.
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

    /// The app that it is bound to, if any.
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

    /// Decodes the flat object; throws `DecodingError`.
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

    /// Encodes the flat object.
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
