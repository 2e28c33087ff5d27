/// An authorization code that the simulated identity provider has issued, with its grant.
package struct SimulatedCode: Sendable, Equatable {
    /// The code.
    package var code: String
    /// The redirect URI; the token request must have the same.
    package var redirectURI: String
    /// The client of the code.
    package var clientID: String
    /// The S256 challenge of the authorization request; nil for none.
    package var codeChallenge: String?
    /// The id token's claims in addition to `iss`, `aud`, `iat` and `exp`, which they may replace; null removes a
    /// claim.
    package var claims: [JSONValue.JSONMember]
    /// The lifetime in seconds, 0 to 86,400.
    package var lifetimeSeconds: Int64
    /// Whether its id token is signed with a key that is not published.
    var isForged = false

    /// Creates a code.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - redirectURI: The redirect URI.
    ///   - clientID: The client of the code.
    ///   - codeChallenge: The S256 challenge of the authorization request.
    ///   - claims: The id token's claims.
    ///   - lifetimeSeconds: The lifetime in seconds.
    package init(
        code: String,
        redirectURI: String,
        clientID: String,
        codeChallenge: String? = nil,
        claims: [JSONValue.JSONMember],
        lifetimeSeconds: Int64 = 600
    ) {
        self.code = code
        self.redirectURI = redirectURI
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.claims = claims
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Parses codes in the form of the control port: an array of
    /// `{"code","redirectUri","clientId","codeChallenge"?,"claims", "expiresIn"?}`.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The codes.
    /// - Throws: ``RuleError`` for anything unknown or missing.
    package static func parse(_ text: [UInt8]) throws(RuleError) -> [SimulatedCode] {
        try RuleReader.list(text, of: "code") { reader throws(RuleError) in
            func required(_ name: String) throws(RuleError) -> String {
                guard let text = try reader.string(name) else { throw reader.error("\"\(name)\" is missing") }
                return text
            }
            let (code, redirectURI) = (try required("code"), try required("redirectUri"))
            let clientID = try required("clientId")
            let challenge = try reader.string("codeChallenge")
            guard let claims = reader.take("claims")?.members else {
                throw reader.error("\"claims\" must be an object")
            }
            let lifetime = try reader.integer("expiresIn", in: 0...86_400) ?? 600
            try reader.end()
            return SimulatedCode(
                code: code,
                redirectURI: redirectURI,
                clientID: clientID,
                codeChallenge: challenge,
                claims: claims,
                lifetimeSeconds: lifetime
            )
        }
    }
}
