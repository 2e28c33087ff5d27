/// A code that the simulated identity provider has given to an app, and what it stands for.
package struct SimulatedCode: Sendable, Equatable {
    /// The code.
    package var code: String
    /// Where it was sent: the token endpoint must be told the same.
    package var redirectURI: String
    /// The client it was given for.
    package var clientID: String
    /// The S256 challenge it was asked for with; nil for none.
    package var codeChallenge: String?
    /// The id token's claims, beside `iss`, `aud`, `iat` and `exp`, which they may replace; null leaves one out.
    package var claims: [JSONValue.JSONMember]
    /// How long it counts, in seconds, 0 to 86,400.
    package var lifetimeSeconds: Int64

    /// Takes a code.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - redirectURI: Where it was sent.
    ///   - clientID: The client it was given for.
    ///   - codeChallenge: The S256 challenge it was asked for with.
    ///   - claims: The id token's claims.
    ///   - lifetimeSeconds: How long it counts.
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

    /// Reads codes as the control port takes them: an array of `{"code","redirectUri","clientId","codeChallenge"?,"claims",
    /// "expiresIn"?}`.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The codes.
    /// - Throws: ``RuleError`` for anything unknown or missing.
    package static func parse(_ text: [UInt8]) throws(RuleError) -> [SimulatedCode] {
        guard let elements = (try? JSONParser.parse(text))?.elements else {
            throw RuleError(description: "the codes must be a JSON array")
        }
        var codes: [SimulatedCode] = []
        for (index, element) in elements.enumerated() {
            var reader = try RuleReader(element, at: "code \(index)")
            func required(_ name: String) throws(RuleError) -> String {
                guard let text = try reader.string(name) else {
                    throw RuleError(description: "code \(index): \"\(name)\" is missing")
                }
                return text
            }
            let (code, redirectURI) = (try required("code"), try required("redirectUri"))
            let clientID = try required("clientId")
            let challenge = try reader.string("codeChallenge")
            guard let claims = reader.take("claims")?.members else {
                throw RuleError(description: "code \(index): \"claims\" must be an object")
            }
            let lifetime = try reader.integer("expiresIn", in: 0...86_400) ?? 600
            try reader.end()
            codes.append(
                SimulatedCode(
                    code: code,
                    redirectURI: redirectURI,
                    clientID: clientID,
                    codeChallenge: challenge,
                    claims: claims,
                    lifetimeSeconds: lifetime
                )
            )
        }
        return codes
    }
}
