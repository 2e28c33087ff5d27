/// The account at Talkdesk for which an app may get access tokens; its private key is stored elsewhere.
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
    /// The public half of the key that signs the gateway's assertions (ES256).
    package var publicKey: PublicKeyDetails

    private enum CodingKeys: String, CodingKey {
        case app, tokenUrl, clientId, keyId, scope
    }

    /// Creates an account.
    package init(
        app: AppID,
        tokenUrl: String,
        clientId: String,
        keyId: String,
        scope: String,
        publicKey: PublicKeyDetails
    ) {
        self.app = app
        self.tokenUrl = tokenUrl
        self.clientId = clientId
        self.keyId = keyId
        self.scope = scope
        self.publicKey = publicKey
    }

    /// Decodes the flat members.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        app = AppID(trusted: try members.decode(String.self, forKey: .app))
        tokenUrl = try members.decode(String.self, forKey: .tokenUrl)
        clientId = try members.decode(String.self, forKey: .clientId)
        keyId = try members.decode(String.self, forKey: .keyId)
        scope = try members.decode(String.self, forKey: .scope)
        publicKey = try PublicKeyDetails(from: decoder)
    }

    /// Encodes the flat members.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(app.rawValue, forKey: .app)
        try members.encode(tokenUrl, forKey: .tokenUrl)
        try members.encode(clientId, forKey: .clientId)
        try members.encode(keyId, forKey: .keyId)
        try members.encode(scope, forKey: .scope)
        try publicKey.encode(to: encoder)
    }
}
