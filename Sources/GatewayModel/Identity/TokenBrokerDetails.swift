/// The account at Talkdesk for which an app may get access tokens; its secrets are stored elsewhere.
package struct TokenBrokerDetails: Codable, Sendable, Equatable {
    /// The app that may request tokens.
    package var app: AppID
    /// The URL of the token endpoint.
    package var tokenUrl: String
    /// The gateway's client id there.
    package var clientId: String
    /// `kid` of the gateway's assertions.
    package var keyId: String
    /// The scope of the requested tokens.
    package var scope: String
    /// The URL where the brand decides about each request; nil grants all.
    package var decisionUrl: String?
    /// The public half of the key that signs the gateway's assertions (ES256).
    package var publicKey: PublicKeyDetails

    private enum CodingKeys: String, CodingKey {
        case app, tokenUrl, clientId, keyId, scope, decision
    }

    private enum DecisionKeys: String, CodingKey {
        case url
    }

    /// Creates an account.
    package init(
        app: AppID,
        tokenUrl: String,
        clientId: String,
        keyId: String,
        scope: String,
        decisionUrl: String? = nil,
        publicKey: PublicKeyDetails
    ) {
        self.app = app
        self.tokenUrl = tokenUrl
        self.clientId = clientId
        self.keyId = keyId
        self.scope = scope
        self.decisionUrl = decisionUrl
        self.publicKey = publicKey
    }

    /// Decodes the flat members; throws `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        app = AppID(trusted: try members.decode(String.self, forKey: .app))
        tokenUrl = try members.decode(String.self, forKey: .tokenUrl)
        clientId = try members.decode(String.self, forKey: .clientId)
        keyId = try members.decode(String.self, forKey: .keyId)
        scope = try members.decode(String.self, forKey: .scope)
        if members.contains(.decision) {
            let decision = try members.nestedContainer(keyedBy: DecisionKeys.self, forKey: .decision)
            decisionUrl = try decision.decode(String.self, forKey: .url)
        }
        publicKey = try PublicKeyDetails(from: decoder)
    }

    /// Encodes the flat members.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(app.rawValue, forKey: .app)
        try members.encode(tokenUrl, forKey: .tokenUrl)
        try members.encode(clientId, forKey: .clientId)
        try members.encode(keyId, forKey: .keyId)
        try members.encode(scope, forKey: .scope)
        if let decisionUrl {
            var decision = members.nestedContainer(keyedBy: DecisionKeys.self, forKey: .decision)
            try decision.encode(decisionUrl, forKey: .url)
        }
        try publicKey.encode(to: encoder)
    }
}
