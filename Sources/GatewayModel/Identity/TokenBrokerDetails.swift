/// The account at Talkdesk whose access tokens an app may have; its private key is kept elsewhere.
package struct TokenBrokerDetails: Codable, Sendable, Equatable {
    /// The app that may ask.
    package var app: AppID
    /// Where tokens are had.
    package var tokenUrl: String
    /// Our name there.
    package var clientId: String
    /// `kid` of our assertions.
    package var keyId: String
    /// What is asked for.
    package var scope: String
    /// The public half of the key that signs our assertions (ES256).
    package var publicKey: PublicKeyDetails

    private enum CodingKeys: String, CodingKey {
        case app, tokenUrl, clientId, keyId, scope
    }

    /// Takes an account.
    ///
    /// - Parameters:
    ///   - app: The app that may ask.
    ///   - tokenUrl: Where tokens are had.
    ///   - clientId: Our name there.
    ///   - keyId: `kid` of our assertions.
    ///   - scope: What is asked for.
    ///   - publicKey: The public half of the key that signs our assertions.
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

    /// Reads the flat members.
    ///
    /// - Parameter decoder: Holds them.
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

    /// Writes the flat members.
    ///
    /// - Parameter encoder: Takes them.
    /// - Throws: What the encoder throws.
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
